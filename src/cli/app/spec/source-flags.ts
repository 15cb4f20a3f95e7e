import { Fault } from '../../../model/faults/index.js';
import { isObject, put, type JsonObject } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { readText } from '../../files/index.js';
import { assign, inside, itemsOf, merged, pairOf, textsOf, tidy, type FlagValue, type SpecFlag } from './spec-flag.js';

type Kind = SpecFlag['kind'];

/** A flag that sets one field of the source. */
function valueFlag(flags: string, field: string, about: string): SpecFlag {
  return {
    flags,
    about,
    kind: 'text',
    apply: ({ source }, value) => {
      assign(source, field, value);
    },
  };
}

/** A flag that sets one field of a block of the source, such as `helm`. */
function block(
  name: 'helm' | 'kustomize' | 'directory' | 'plugin',
  flags: string,
  kind: Kind,
  field: string,
  about: string,
): SpecFlag {
  return {
    flags,
    about,
    kind,
    apply: change(name, (inner, value) => {
      assign(inner, field, value);
    }),
  };
}

function change(name: string, act: (inner: JsonObject, value: FlagValue) => void): SpecFlag['apply'] {
  return ({ source }, value) => {
    act(inside(source, name), value);
    tidy(source, name);
  };
}

/** Commas in the value of a parameter would end it; those that are not escaped yet are. */
function escaped(text: string): string {
  return text.replaceAll(/([^\\]),/g, '$1\\,');
}

function addParameters(inner: JsonObject, value: FlagValue, forceString: boolean): void {
  for (const text of textsOf(value)) {
    const [name, raw] = pairOf(text, 'helm parameter of the form param=value');
    inner.parameters = merged(itemsOf(inner, 'parameters'), {
      name,
      value: escaped(raw),
      ...(forceString ? { forceString: true } : {}),
    });
  }
}

function mapOf(value: FlagValue, flag: string): JsonObject {
  const map: JsonObject = {};
  for (const text of textsOf(value)) put(map, ...pairOf(text, `${flag} of the form name=value`));
  return map;
}

function imageName(image: string, delimiter: string): string {
  return image.split(delimiter)[0] ?? image;
}

/** Whether both speak of the same image, cut where the wanted one is cut. */
export function isSameImage(image: string, wanted: string): boolean {
  const delimiter = ['=', ':', '@'].find((each) => wanted.includes(each)) ?? ':';
  return imageName(image, delimiter) === imageName(wanted, delimiter);
}

function mergeImage(images: readonly string[], image: string): string[] {
  const at = images.findIndex((each) => isSameImage(each, image));
  return at < 0 ? [...images, image] : images.map((each, index) => (index === at ? image : each));
}

function variables(field: 'tlas' | 'extVars', code: boolean): SpecFlag['apply'] {
  return change('directory', (inner, value) => {
    const jsonnet = inside(inner, 'jsonnet');
    for (const text of textsOf(value)) {
      const at = text.indexOf('=');
      const item = at < 0 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) };
      put(jsonnet, field, [...itemsOf(jsonnet, field), code ? { ...item, code } : item]);
    }
  });
}

const HELM: readonly SpecFlag[] = [
  block('helm', '--values <file>', 'list', 'valueFiles', 'Helm values file(s) to use; may be repeated'),
  block('helm', '--ignore-missing-value-files', 'switch', 'ignoreMissingValueFiles', 'skip missing values files'),
  {
    flags: '--values-literal-file <file>',
    kind: 'text',
    about: 'a file with Helm values, inlined into the application',
    apply: change('helm', (inner, value) => {
      const text = readText(String(value));
      if (!isObject(readOneYaml(text, { dialect: 'kubernetes', file: String(value) })))
        throw new Fault('VALUE_INVALID', 'Helm values must be an object', { where: String(value) });
      inner.values = text;
    }),
  },
  block('helm', '--release-name <name>', 'text', 'releaseName', 'Helm release name'),
  block('helm', '--helm-version <version>', 'text', 'version', 'Helm version'),
  block('helm', '--helm-pass-credentials', 'switch', 'passCredentials', 'pass credentials to all domains'),
  {
    flags: '--helm-set <name=value>',
    kind: 'list',
    about: 'set a Helm value; may be repeated',
    apply: change('helm', (inner, value) => {
      addParameters(inner, value, false);
    }),
  },
  {
    flags: '--helm-set-string <name=value>',
    kind: 'list',
    about: 'set a Helm value as a string; may be repeated',
    apply: change('helm', (inner, value) => {
      addParameters(inner, value, true);
    }),
  },
  {
    flags: '--helm-set-file <name=path>',
    kind: 'list',
    about: 'set a Helm value from a file; may be repeated',
    apply: change('helm', (inner, value) => {
      for (const text of textsOf(value)) {
        const [name, path] = pairOf(text, 'helm file parameter of the form param=path');
        inner.fileParameters = merged(itemsOf(inner, 'fileParameters'), { name, path: escaped(path) });
      }
    }),
  },
  {
    flags: '-p, --parameter <name=value>',
    kind: 'list',
    about: 'override a parameter; may be repeated',
    apply: change('helm', (inner, value) => {
      addParameters(inner, value, false);
    }),
  },
  block('helm', '--helm-skip-crds', 'switch', 'skipCrds', 'skip the CRDs of the chart'),
  block(
    'helm',
    '--helm-skip-schema-validation',
    'switch',
    'skipSchemaValidation',
    "do not validate values against the chart's schema",
  ),
  block('helm', '--helm-skip-tests', 'switch', 'skipTests', 'skip the tests of the chart'),
  block('helm', '--helm-namespace <namespace>', 'text', 'namespace', 'namespace passed to templates'),
  block('helm', '--helm-kube-version <version>', 'text', 'kubeVersion', 'Kubernetes version passed to templates'),
  block(
    'helm',
    '--helm-api-versions <version>',
    'list',
    'apiVersions',
    'API versions passed to templates; may be repeated',
  ),
];

const KUSTOMIZE: readonly SpecFlag[] = [
  block('kustomize', '--nameprefix <text>', 'text', 'namePrefix', 'Kustomize name prefix'),
  block('kustomize', '--namesuffix <text>', 'text', 'nameSuffix', 'Kustomize name suffix'),
  {
    flags: '--kustomize-image <image>',
    kind: 'list',
    about: 'replace an image: [old=]name:tag or name@digest; may be repeated',
    apply: change('kustomize', (inner, value) => {
      inner.images = textsOf(value).reduce(
        mergeImage,
        itemsOf(inner, 'images').filter((each) => typeof each === 'string'),
      );
    }),
  },
  {
    flags: '--kustomize-replica <name=count>',
    kind: 'list',
    about: 'override a replica count; may be repeated',
    apply: change('kustomize', (inner, value) => {
      for (const text of textsOf(value)) {
        const [name, count] = pairOf(text, 'kustomize replica of the form name=count');
        if (!/^\d+$/.test(count)) throw new Fault('USAGE', `expected integer value for count. Received: ${count}`);
        inner.replicas = merged(itemsOf(inner, 'replicas'), { name, count: Number(count) });
      }
    }),
  },
  block('kustomize', '--kustomize-version <version>', 'text', 'version', 'Kustomize version'),
  block('kustomize', '--kustomize-namespace <namespace>', 'text', 'namespace', 'Kustomize namespace'),
  block(
    'kustomize',
    '--kustomize-kube-version <version>',
    'text',
    'kubeVersion',
    'Kubernetes version passed to charts',
  ),
  block(
    'kustomize',
    '--kustomize-api-versions <version>',
    'list',
    'apiVersions',
    'API versions passed to charts; may be repeated',
  ),
  {
    flags: '--kustomize-common-label <name=value>',
    kind: 'list',
    about: 'common label for all objects; may be repeated',
    apply: change('kustomize', (inner, value) => {
      inner.commonLabels = mapOf(value, 'label');
    }),
  },
  {
    flags: '--kustomize-common-annotation <name=value>',
    kind: 'list',
    about: 'common annotation for all objects; may be repeated',
    apply: change('kustomize', (inner, value) => {
      inner.commonAnnotations = mapOf(value, 'annotation');
    }),
  },
  block(
    'kustomize',
    '--kustomize-label-without-selector',
    'switch',
    'labelWithoutSelector',
    'do not add common labels to selectors',
  ),
  block(
    'kustomize',
    '--kustomize-label-include-templates',
    'switch',
    'labelIncludeTemplates',
    'add common labels to pod templates too',
  ),
  block(
    'kustomize',
    '--kustomize-force-common-label',
    'switch',
    'forceCommonLabels',
    'common labels override existing ones',
  ),
  block(
    'kustomize',
    '--kustomize-force-common-annotation',
    'switch',
    'forceCommonAnnotations',
    'common annotations override existing ones',
  ),
  block('kustomize', '--ignore-missing-components', 'switch', 'ignoreMissingComponents', 'skip missing components'),
];

const DIRECTORY: readonly SpecFlag[] = [
  block('directory', '--directory-recurse', 'switch', 'recurse', 'recurse into subfolders'),
  block('directory', '--directory-exclude <pattern>', 'text', 'exclude', 'files to exclude'),
  block('directory', '--directory-include <pattern>', 'text', 'include', 'files to include'),
  {
    flags: '--jsonnet-tla-str <name=value>',
    kind: 'list',
    about: 'Jsonnet top-level argument as a string; may be repeated',
    apply: variables('tlas', false),
  },
  {
    flags: '--jsonnet-tla-code <name=code>',
    kind: 'list',
    about: 'Jsonnet top-level argument as code; may be repeated',
    apply: variables('tlas', true),
  },
  {
    flags: '--jsonnet-ext-var-str <name=value>',
    kind: 'list',
    about: 'Jsonnet external variable as a string; may be repeated',
    apply: variables('extVars', false),
  },
  {
    flags: '--jsonnet-ext-var-code <name=code>',
    kind: 'list',
    about: 'Jsonnet external variable as code; may be repeated',
    apply: variables('extVars', true),
  },
  {
    flags: '--jsonnet-libs <path>',
    kind: 'list',
    about: 'Jsonnet library path; may be repeated',
    apply: change('directory', (inner, value) => {
      const jsonnet = inside(inner, 'jsonnet');
      jsonnet.libs = [...itemsOf(jsonnet, 'libs'), ...textsOf(value)];
    }),
  },
];

const PLUGIN: readonly SpecFlag[] = [
  {
    flags: '--config-management-plugin <name>',
    kind: 'text',
    about: 'config management plugin',
    apply: ({ source }, value) => {
      source.plugin = { name: String(value) };
    },
  },
  {
    flags: '--plugin-env <name=value>',
    kind: 'list',
    about: 'an environment variable of the plugin; may be repeated',
    apply: change('plugin', (inner, value) => {
      for (const text of textsOf(value)) {
        const [name, given] = pairOf(text, 'environment entry of the form name=value');
        inner.env = merged(itemsOf(inner, 'env'), { name, value: given });
      }
    }),
  },
];

/** Flags that speak about one source. */
export const SOURCE_FLAGS: readonly SpecFlag[] = [
  valueFlag('--repo <url>', 'repoURL', 'the repository'),
  valueFlag('--path <path>', 'path', 'the folder in the repository'),
  valueFlag('--helm-chart <name>', 'chart', 'the chart in a Helm repository'),
  valueFlag('--revision <revision>', 'targetRevision', 'branch, tag, commit or chart version to follow'),
  valueFlag('--tag-prefix <text>', 'tagPrefix', 'prefix of the git tags that versions are resolved from'),
  valueFlag('--ref <name>', 'ref', 'name that other sources reference files of this source by'),
  ...HELM,
  ...KUSTOMIZE,
  ...DIRECTORY,
  ...PLUGIN,
];
