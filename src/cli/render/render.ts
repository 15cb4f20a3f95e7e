import { Fault } from '../../model/faults/index.js';
import type { JsonnetVariable } from '../../model/argo/index.js';
import {
  BuildEnvironment,
  ChartValues,
  explainFailure,
  findPartsLeftOut,
  findUnsetShellVariables,
  emptyOverrideText,
  isKustomization,
  kustomizationText,
  renderChart,
  renderDirectory,
  renderKustomization,
  NeedsContent,
  needKey,
  parsePrintedManifests,
  TreeReader,
  type Manifest,
  type RenderChartRequest,
} from '../../render/index.js';
import type { CliTools, CliHost } from '../host/index.js';
import {
  chartInput,
  functionHost,
  openLocalSource,
  withDisplayPaths,
  type LocalFolder,
  type LocalSource,
  missingContent,
} from '../local/index.js';
import { printManifests, type RenderResult } from './print-manifests.js';
import type { ValuesFlags } from '../command/index.js';

export interface RenderFlags extends ValuesFlags {
  readonly release: string;
  readonly namespace: string;
  readonly includeCrds?: boolean;
  readonly kubeVersion: string;
  readonly apiVersions?: readonly string[];
  readonly skipTests?: boolean;
  /** False with --no-hooks. */
  readonly hooks: boolean;
  readonly isUpgrade?: boolean;
  readonly skipSchemaValidation?: boolean;
  readonly recurse?: boolean;
  readonly extVar?: readonly string[];
  readonly extCode?: readonly string[];
  readonly tlaStr?: readonly string[];
  readonly tlaCode?: readonly string[];
  readonly jpath?: readonly string[];
  readonly plugin?: string;
  readonly tool?: readonly string[];
  readonly origin?: boolean;
  readonly output: string;
}

/** What `helm template`, `kustomize build` or the plain files give, as text. */
export async function render(named: string, flags: RenderFlags, host: CliHost): Promise<string> {
  const source = openLocalSource(named, flags.root);
  return withDisplayPaths(source, async () => {
    const result = await renderLocal(source, flags, host);
    for (const warning of result.warnings)
      host.stderr.write(`${/^warning/i.test(warning) ? '' : 'warning: '}${warning}\n`);
    return printManifests(result, flags.output, flags.origin === true);
  });
}

async function renderLocal(source: LocalSource, flags: RenderFlags, host: CliHost): Promise<RenderResult> {
  if (source.kind === 'folder' && flags.plugin !== undefined) return renderPlugin(source, flags.plugin, flags, host);
  return source.kind === 'archive' || isChart(source)
    ? renderHelm(source, flags, host)
    : renderFolder(source, flags, host);
}

function isChart(source: LocalFolder): boolean {
  return new TreeReader(source.tree).kind(inside(source.path, 'Chart.yaml')) === 'file';
}

function inside(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function renderHelm(source: LocalSource, flags: RenderFlags, host: CliHost): RenderResult {
  const input = chartInput(source, flags);
  const request: RenderChartRequest = {
    ...input,
    release: { name: flags.release, namespace: flags.namespace, isUpgrade: flags.isUpgrade === true },
    kubeVersion: flags.kubeVersion,
    apiVersions: flags.apiVersions ?? [],
    includeCrds: flags.includeCrds === true,
    skipTests: flags.skipTests === true,
    skipHooks: !flags.hooks,
    skipSchemaValidation: flags.skipSchemaValidation === true,
    context: functionHost(host.now),
  };
  const nameOf = source.shown;
  const outcome = withExplainedErrors(
    () => renderChart(request),
    (error) => explainFailure(error, input, nameOf),
  );
  if (outcome.kind === 'needs') throw missingContent(outcome.needs);
  const values = new ChartValues(input, { nameOf });
  const manifests = withDisplayOrigins(outcome.manifests, source);
  const findings = [
    ...values.emptyOverrides.map(emptyOverrideText),
    ...[...findPartsLeftOut(values, manifests), ...findUnsetShellVariables(manifests)].map(({ message }) => message),
  ];
  return { manifests, text: outcome.text, values, warnings: [...outcome.warnings, ...findings] };
}

function withExplainedErrors<T>(act: () => T, explain: (error: unknown) => unknown): T {
  try {
    return act();
  } catch (error) {
    throw explain(error);
  }
}

async function renderFolder(source: LocalFolder, flags: RenderFlags, host: CliHost): Promise<RenderResult> {
  const reader = new TreeReader(source.tree);
  if (isKustomization(reader, source.path)) return renderOverlay(source, reader, flags, host);
  const settings = {
    recurse: flags.recurse === true,
    include: '',
    exclude: '',
    jsonnet: {
      extVars: variables(flags.extVar, flags.extCode),
      tlas: variables(flags.tlaStr, flags.tlaCode),
      libs: flags.jpath ?? [],
    },
  };
  const fetched = new Map<string, Uint8Array>();
  for (let tools: CliTools | undefined; ; ) {
    try {
      const manifests = withDisplayOrigins(renderDirectory(reader, source.path, { ...settings, fetched }), source);
      return { manifests, warnings: findUnsetShellVariables(manifests).map(({ message }) => message) };
    } catch (error) {
      if (!(error instanceof NeedsContent)) throw error;
      tools ??= await host.openTools(flags.tool ?? []);
      for (const need of error.needs) {
        if (need.kind !== 'jsonnet') throw missingContent(error.needs);
        const { tree, path } = source.exported(need.path);
        fetched.set(needKey(need), await tools.jsonnet(tree, path, need.settings));
      }
    }
  }
}

async function renderPlugin(
  source: LocalFolder,
  name: string,
  flags: RenderFlags,
  host: CliHost,
): Promise<RenderResult> {
  const tools = await host.openTools(flags.tool ?? []);
  const environment = new Map([
    ['ARGOCD_APP_NAME', flags.release],
    ['ARGOCD_APP_NAMESPACE', flags.namespace],
    ['ARGOCD_APP_SOURCE_PATH', source.path],
  ]);
  const text = await tools.plugin(name, {
    ...source.exported(source.path),
    environment,
    kubeVersion: flags.kubeVersion,
    apiVersions: flags.apiVersions ?? [],
  });
  return { manifests: parsePrintedManifests(text, `plugin ${name}`), text, warnings: [] };
}

function renderOverlay(source: LocalFolder, reader: TreeReader, flags: RenderFlags, host: CliHost): RenderResult {
  const outcome = renderKustomization({
    reader,
    folder: source.path,
    settings: undefined,
    environment: new BuildEnvironment(new Map()),
    request: {
      tree: source.tree,
      source: { path: source.path },
      refs: new Map(),
      fetched: new Map(),
      application: { name: flags.release, namespace: '', project: '' },
      destinationNamespace: flags.namespace,
      kubeVersion: flags.kubeVersion,
      apiVersions: flags.apiVersions ?? [],
      host: functionHost(host.now),
    },
  });
  if (outcome.kind === 'needs') throw missingContent(outcome.needs);
  const manifests = withDisplayOrigins(outcome.manifests, source);
  const warnings = [...outcome.warnings, ...findUnsetShellVariables(manifests).map(({ message }) => message)];
  return { manifests, text: kustomizationText(manifests), warnings };
}

function variables(texts: readonly string[] = [], code: readonly string[] = []): JsonnetVariable[] {
  const read =
    (isCode: boolean) =>
    (text: string): JsonnetVariable => {
      const at = text.indexOf('=');
      if (at <= 0) throw new Fault('USAGE', `"${text}" has no value: write NAME=VALUE`);
      return { name: text.slice(0, at), value: text.slice(at + 1), code: isCode };
    };
  return [...texts.map(read(false)), ...code.map(read(true))];
}

function withDisplayOrigins(manifests: readonly Manifest[], { shown }: LocalSource): Manifest[] {
  return manifests.map((manifest) => ({
    ...manifest,
    origin: {
      ...manifest.origin,
      file: manifest.origin.repository === undefined ? shown(manifest.origin.file) : manifest.origin.file,
    },
  }));
}
