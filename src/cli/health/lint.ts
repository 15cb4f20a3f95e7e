import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  createAssessor,
  lintHealthScript,
  lintSettings,
  runHealthScript,
  schemaOfCrd,
  type Catalogue,
  type Finding,
  type SettingsSource,
} from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { Health } from '../../model/argo/index.js';
import { type CliHost, controlNamespaceOf, openCluster } from '../host/index.js';
import { loadCatalogue } from '../../control/index.js';
import { flattenObjects, inputName, readText } from '../files/index.js';
import { ARGOCDS, CONFIG_MAPS, CRDS } from '../../model/resources/index.js';

export interface LintFlags {
  readonly cluster?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly kind?: string;
  readonly openLibs?: boolean;
  readonly output?: string;
}

interface LintInput {
  readonly scripts: readonly { readonly file: string; readonly source: string }[];
  readonly settings: readonly SettingsSource[];
  readonly crds: readonly JsonObject[];
}

/** Finds mistakes in the files, or in the cluster's settings. */
export async function lint(
  files: readonly string[],
  flags: LintFlags,
  host: CliHost,
): Promise<{ text: string; failed: boolean }> {
  if (files.length === 0 && flags.cluster !== true) throw new Fault('USAGE', 'name the files to check, or --cluster');
  const [fromFiles, fromCluster] = [
    readFiles(files),
    flags.cluster === true ? await readCluster(flags, host) : EMPTY_INPUT,
  ];
  const input = {
    scripts: fromFiles.scripts,
    settings: [...fromFiles.settings, ...fromCluster.settings],
    // Those that are given come first, because the first of a kind counts.
    crds: [...fromFiles.crds, ...fromCluster.crds, ...(flags.cluster === true ? [] : ownCrds(host.crds))],
  };
  if (input.scripts.length === 0 && input.settings.length === 0) {
    throw new Fault(
      'USAGE',
      'no health check found: a check is a Lua file, or part of a ConfigMap ' + 'argocd-cm or an ArgoCD object',
      { where: files.map(inputName).join(', ') },
    );
  }
  const findings = lintInput(input, flags, loadCatalogue(host.catalogue), host.now);
  const failed = findings.some(({ severity }) => severity === 'error');
  return {
    text: flags.output === 'json' ? `${JSON.stringify(findings, null, 2)}\n` : printFindings(findings, input),
    failed,
  };
}

const EMPTY_INPUT: LintInput = { scripts: [], settings: [], crds: [] };

function lintInput(
  { scripts, settings, crds }: LintInput,
  flags: LintFlags,
  catalogue: Catalogue,
  now: () => number,
): Finding[] {
  const evaluate = (
    source: string,
    object: KubeObject,
    { openLibs }: { readonly openLibs: boolean },
  ): Health | undefined => runHealthScript(source, object, { openLibs, now });
  const assessor = createAssessor({ catalogue, now });
  const options = { evaluate, reference: (object: KubeObject) => assessor.assess(object) };
  const kinds = catalogue.entries.flatMap(({ groups, kinds: names }) =>
    groups.flatMap((group) => names.map((kind) => ({ group, kind }))),
  );
  return [
    ...scripts.flatMap(({ file, source }) => {
      const { group, kind } = kindOfScript(file, flags.kind);
      const crd = crds.find((each) => servesKind(each, group, kind));
      const schema = crd === undefined ? undefined : schemaOfCrd(crd);
      return lintHealthScript({
        source,
        name: inputName(file),
        group,
        kind,
        ...(schema === undefined ? {} : { schema }),
        options: { ...options, openLibs: flags.openLibs === true },
      });
    }),
    ...lintSettings(
      {
        configMaps: settings.filter(({ object }) => object.kind === 'ConfigMap'),
        argocds: settings.filter(({ object }) => object.kind === 'ArgoCD'),
        crds,
      },
      { ...options, kinds },
    ),
  ];
}

function servesKind(crd: JsonObject, group: string, kind: string): boolean {
  const { spec } = crd;
  return isObject(spec) && spec.group === group && isObject(spec.names) && spec.names.kind === kind;
}

/** `--kind group/Kind`, else what a path in Argo CD's layout (GROUP/KIND/health.lua) says. */
function kindOfScript(file: string, named: string | undefined): { group: string; kind: string } {
  if (named !== undefined) {
    const slash = named.lastIndexOf('/');
    return { group: slash < 0 ? '' : named.slice(0, slash), kind: named.slice(slash + 1) };
  }
  const [kind, group] = [basename(dirname(file)), basename(dirname(dirname(file)))];
  return basename(file) === 'health.lua' && /^[A-Z]/.test(kind) && group !== '.'
    ? { group, kind }
    : { group: '', kind: '' };
}

function readFiles(files: readonly string[]): LintInput {
  const scripts: { file: string; source: string }[] = [];
  const objects: SettingsSource[] = [];
  for (const file of files) {
    const text = readText(file);
    if (file.endsWith('.lua')) {
      scripts.push({ file, source: text });
      continue;
    }
    for (const { value, line } of readYaml(text, { dialect: 'kubernetes', file: inputName(file) })) {
      if (value !== null)
        objects.push(
          ...flattenObjects(value, inputName(file)).map((object) => ({ object, file: inputName(file), text, line })),
        );
    }
  }
  return {
    scripts,
    settings: objects.filter(({ object }) => holdsChecks(object)),
    crds: objects.map(({ object }) => object).filter(({ kind }) => kind === 'CustomResourceDefinition'),
  };
}

/** Of the kinds that Argosy brings: nobody has to name their files. */
function ownCrds(folder: string): JsonObject[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => readYaml(readText(join(folder, name)), { dialect: 'kubernetes', file: name }))
    .flatMap(({ value }) => (isObject(value) ? [value] : []));
}

/** A ConfigMap counts whatever its name: people keep argocd-cm in files of other names, and as parts. */
function holdsChecks(object: KubeObject): boolean {
  if (gvkOf(object).group === 'argoproj.io') return object.kind === 'ArgoCD';
  return (
    object.kind === 'ConfigMap' &&
    (object.metadata.name === 'argocd-cm' ||
      (isObject(object['data']) && Object.keys(object['data']).some((key) => key.startsWith('resource.'))))
  );
}

async function readCluster(flags: LintFlags, host: CliHost): Promise<LintInput> {
  const cluster = await openCluster(flags, host, true);
  try {
    const namespace = controlNamespaceOf(cluster.server, host, {
      given: flags.namespace,
      kubeconfig: flags.kubeconfig,
    });
    const settings = await cluster.get(CONFIG_MAPS, { namespace, name: 'argocd-cm' });
    if (settings === undefined)
      throw new Fault(
        'USAGE',
        `ConfigMap argocd-cm not found in namespace ${namespace}: name the namespace of Argo CD ` + 'with --namespace',
        { where: cluster.server },
      );
    const { items: crds } = await cluster.list(CRDS);
    const operator = crds.find((crd) => servesKind(crd, 'argoproj.io', 'ArgoCD'));
    const argocds =
      operator === undefined
        ? []
        : (await cluster.list({ ...ARGOCDS, version: storageVersion(operator) }, { namespace })).items;
    return { scripts: [], settings: [settings, ...argocds].map((object) => ({ object })), crds };
  } finally {
    await cluster.close();
  }
}

function storageVersion(crd: JsonObject): string {
  const versions = isObject(crd.spec) && Array.isArray(crd.spec.versions) ? crd.spec.versions : [];
  const stored = versions.find((version) => isObject(version) && version.storage === true);
  return isObject(stored) && typeof stored.name === 'string' ? stored.name : 'v1beta1';
}

/** One finding a paragraph: where, how grave, what, and what to do. */
function printFindings(findings: readonly Finding[], { scripts, settings }: LintInput): string {
  const lines = findings.map(({ rule, severity, message, where, hint }) => {
    const key = where.key === undefined ? '' : ` (${where.key})`;
    return `${where.name}:${where.line}:${where.column}: ${severity}: ${message} [${rule}]${key}\n${hint
      .split('\n')
      .map((line, index) => `    ${index === 0 ? 'fix: ' : '     '}${line}`)
      .join('\n')}\n`;
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const checked = scripts.length + settings.length;
  return (
    `${lines.join('')}${checked} ${checked === 1 ? 'file' : 'files'} checked, ${errors} ` +
    `${errors === 1 ? 'error' : 'errors'}, ${findings.length - errors} ` +
    `${findings.length - errors === 1 ? 'warning' : 'warnings'}\n`
  );
}
