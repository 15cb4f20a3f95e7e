import { type Json, type JsonObject, drop, isArray, isObject, objectAt, own, put } from '../../../model/json/index.js';
import { isSameImage } from './source-flags.js';
import { textsOf, type FlagShape, type FlagValue } from './spec-flag.js';

/** A flag of `unset`, and what it takes from a source; says whether there was anything. */
interface UnsetFlag extends FlagShape {
  readonly take: (source: JsonObject, value: FlagValue) => boolean;
}

type Block = 'helm' | 'kustomize' | 'plugin';

/** Takes fields of a block away. */
function fields(block: Block, flags: string, names: readonly string[], about: string): UnsetFlag {
  return {
    flags,
    about,
    kind: 'switch',
    take: (source, value) =>
      value === true && names.map((name) => takeField(objectAt(source, block) ?? {}, name)).some(Boolean),
  };
}

function takeField(object: JsonObject, name: string): boolean {
  if (own(object, name) === undefined) return false;
  drop(object, name);
  return true;
}

/** Takes the items of a list of a block that are named. */
function items(
  block: Block,
  flags: string,
  field: string,
  about: string,
  isNamed: (item: Json, wanted: string) => boolean,
): UnsetFlag {
  return {
    flags,
    about,
    kind: 'list',
    take: (source, value) => {
      const inner = objectAt(source, block) ?? {};
      const list = own(inner, field);
      if (!isArray(list)) return false;
      const kept = list.filter((item) => !textsOf(value).some((wanted) => isNamed(item, wanted)));
      if (kept.length === list.length) return false;
      if (kept.length === 0) drop(inner, field);
      else put(inner, field, kept);
      return true;
    },
  };
}

const byName = (item: Json, wanted: string): boolean => isObject(item) && own(item, 'name') === wanted;
const itself = (item: Json, wanted: string): boolean => item === wanted;

export const UNSET_FLAGS: readonly UnsetFlag[] = [
  items('helm', '-p, --parameter <name>', 'parameters', 'a parameter; may be repeated', byName),
  items('helm', '--values <file>', 'valueFiles', 'a Helm values file; may be repeated', itself),
  fields('helm', '--values-literal', ['values', 'valuesObject'], 'the inline Helm values of the application'),
  fields('helm', '--ignore-missing-value-files', ['ignoreMissingValueFiles'], 'ignoreMissingValueFiles'),
  fields('helm', '--pass-credentials', ['passCredentials'], 'passCredentials'),
  fields('kustomize', '--nameprefix', ['namePrefix'], 'the Kustomize name prefix'),
  fields('kustomize', '--namesuffix', ['nameSuffix'], 'the Kustomize name suffix'),
  fields('kustomize', '--kustomize-version', ['version'], 'the Kustomize version'),
  fields('kustomize', '--kustomize-namespace', ['namespace'], 'the Kustomize namespace'),
  items(
    'kustomize',
    '--kustomize-image <name>',
    'images',
    'a Kustomize image; may be repeated',
    (item, wanted) => typeof item === 'string' && isSameImage(item, wanted),
  ),
  items('kustomize', '--kustomize-replica <name>', 'replicas', 'a Kustomize replica count; may be repeated', byName),
  fields('kustomize', '--ignore-missing-components', ['ignoreMissingComponents'], 'ignoreMissingComponents'),
  items('plugin', '--plugin-env <name>', 'env', 'an environment variable of the plugin; may be repeated', byName),
  {
    flags: '--ref',
    about: 'name that other sources reference its files by',
    kind: 'switch',
    take: (source, value) => value === true && takeField(source, 'ref'),
  },
];
