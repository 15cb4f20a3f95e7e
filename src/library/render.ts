/** Helm, Kustomize and plain manifests, rendered in this process: no helm, no kustomize, no network. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { functionHost, missingContent, openLocalSource } from '../cli/local/index.js';
import { Fault } from '../model/faults/index.js';
import type { Tree } from '../model/formats/index.js';
import type { JsonObject } from '../model/json/index.js';
import { writeYaml } from '../model/yaml/index.js';
import {
  BuildEnvironment,
  isKustomization,
  kustomizationText,
  NeedsContent,
  renderChart,
  renderDirectory,
  renderKustomization,
  TreeReader,
  type ChartInput,
  type Manifest,
} from '../render/index.js';
import { memoryTree } from './memory-tree.js';
import type { KubernetesObject } from './types.js';

export type { ArgosyError, KubernetesObject } from './types.js';

/** Files in memory: path to content. */
export type SourceFiles = Readonly<Record<string, string | Uint8Array>>;

export interface RenderOptions {
  /** The folder inside the source to render; the source itself by default. */
  readonly path?: string;
  /** Name of the Helm release; `release-name` by default, as `helm template` does. */
  readonly releaseName?: string;
  /** Namespace of the Helm release; `default` by default. */
  readonly namespace?: string;
  /** Values files of a chart, later ones win: on disk, or among the files if the source is in memory. */
  readonly valueFiles?: readonly string[];
  /** Values of a chart, over all values files. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** As `helm template --set`, such as `image.tag=1.2`; over all values. */
  readonly set?: readonly string[];
  /** What templates see as `.Capabilities.KubeVersion`; 1.34.4 by default. */
  readonly kubeVersion?: string;
  /** API versions besides those that Helm knows itself, such as `monitoring.coreos.com/v1`. */
  readonly apiVersions?: readonly string[];
  /** Whether the CRDs of a chart are rendered; false by default. */
  readonly includeCrds?: boolean;
  /** Whether the hooks of a chart are rendered; true by default. */
  readonly hooks?: boolean;
  /** Whether the tests of a chart are left out; false by default. */
  readonly skipTests?: boolean;
  /** Whether `.Release.IsUpgrade` is true; false by default. */
  readonly isUpgrade?: boolean;
  /** Whether plain manifests are read from the folders below too; false by default. */
  readonly recurse?: boolean;
  /** The time that templates see; the time of the call by default. */
  readonly now?: Date;
}

export interface RenderedManifest {
  readonly object: KubernetesObject;
  /** Where the object was written: a file of the source, and the line its document starts at, from 1. */
  readonly origin: { readonly file: string; readonly line: number };
}

export interface RenderResult {
  readonly type: 'Helm' | 'Kustomize' | 'Directory';
  readonly manifests: readonly RenderedManifest[];
  /** What `helm template` or `kustomize build` prints. */
  readonly yaml: string;
  readonly warnings: readonly string[];
}

/**
 * Renders a folder, a packaged chart (.tgz) or files in memory: a Helm chart, a kustomization or plain manifests,
 * whichever it is. Fetches nothing: missing dependencies and remote bases are an ArgosyError, and so is every mistake
 * in a template, a values file or a kustomization.
 */
export function render(source: string | SourceFiles, options: RenderOptions = {}): RenderResult {
  try {
    const opened = typeof source === 'string' ? openDisk(source, options.path) : openMemory(source, options.path);
    if (opened.kind === 'archive') return helm({ ...opened, id: idOf(opened.bytes) }, options);
    const reader = new TreeReader(opened.tree);
    const { path, readFile } = opened;
    if (reader.kind(path) !== 'folder')
      throw new Fault('RENDER_PATH_MISSING', 'there is no such folder in the source', { where: path });
    if (reader.kind(join(path, 'Chart.yaml')) === 'file')
      return helm({ kind: 'folder', reader, path, readFile }, options);
    if (isKustomization(reader, path)) return kustomize(opened.tree, reader, path, options);
    const manifests = renderDirectory(reader, path, { recurse: options.recurse === true });
    return { type: 'Directory', ...resultOf(manifests), warnings: [] };
  } catch (error) {
    throw error instanceof NeedsContent ? missingContent(error.needs) : error;
  }
}

type ReadFile = (path: string) => string;

type Opened =
  | { readonly kind: 'folder'; readonly tree: Tree; readonly path: string; readonly readFile: ReadFile }
  | { readonly kind: 'archive'; readonly bytes: Uint8Array; readonly path: string; readonly readFile: ReadFile };

function openDisk(folder: string, path = ''): Opened {
  const named = path === '' || !isFolder(folder) ? folder : join(folder, path);
  return { ...openLocalSource(named), readFile: readDiskFile };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function openMemory(files: SourceFiles, path = ''): Opened {
  const tree = memoryTree(files);
  const reader = new TreeReader(tree);
  return { kind: 'folder', tree, path: path.replace(/^\/+|(?<!\/)\/+$/g, ''), readFile: (file) => reader.text(file) };
}

function readDiskFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('FILE_UNREADABLE', 'the values file cannot be read', { where: path, cause });
  }
}

function idOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder.replace(/(?<!\/)\/+$/, '')}/${name}`;
}

function helm(opened: ChartInput['source'] & { readonly readFile: ReadFile }, options: RenderOptions): RenderResult {
  const { readFile, ...source } = opened;
  const { releaseName = 'release-name', namespace = 'default', values } = options;
  const outcome = renderChart({
    source,
    values: [
      ...(options.valueFiles ?? []).map((name) => ({ name, text: readFile(name) })),
      ...(values === undefined ? [] : [{ name: 'values', object: values as JsonObject }]),
    ],
    sets: (options.set ?? []).map((text) => ({ kind: 'set' as const, text })),
    readFile,
    charts: new Map(),
    release: { name: releaseName, namespace, isUpgrade: options.isUpgrade === true },
    kubeVersion: options.kubeVersion ?? KUBE_VERSION,
    apiVersions: options.apiVersions ?? [],
    includeCrds: options.includeCrds === true,
    skipTests: options.skipTests === true,
    skipHooks: options.hooks === false,
    context: hostOf(options),
  });
  if (outcome.kind === 'needs') throw new NeedsContent(outcome.needs);
  return { type: 'Helm', ...resultOf(outcome.manifests), yaml: outcome.text, warnings: outcome.warnings };
}

function kustomize(tree: Tree, reader: TreeReader, folder: string, options: RenderOptions): RenderResult {
  const outcome = renderKustomization({
    reader,
    folder,
    settings: undefined,
    environment: new BuildEnvironment(new Map()),
    request: {
      tree,
      source: { path: folder },
      refs: new Map(),
      fetched: new Map(),
      application: { name: options.releaseName ?? 'release-name', namespace: '', project: '' },
      destinationNamespace: options.namespace ?? 'default',
      kubeVersion: options.kubeVersion ?? KUBE_VERSION,
      apiVersions: options.apiVersions ?? [],
      host: hostOf(options),
    },
  });
  if (outcome.kind === 'needs') throw new NeedsContent(outcome.needs);
  const { manifests, warnings } = outcome;
  return { type: 'Kustomize', ...resultOf(manifests), yaml: kustomizationText(manifests), warnings };
}

const KUBE_VERSION = '1.34.4';

function hostOf({ now }: RenderOptions): ReturnType<typeof functionHost> {
  return functionHost(now === undefined ? Date.now : () => now.getTime());
}

function resultOf(manifests: readonly Manifest[]): Pick<RenderResult, 'manifests' | 'yaml'> {
  return {
    manifests: manifests.map(({ object, origin: { file, line } }) => ({ object, origin: { file, line } })),
    yaml: manifests.map(({ object }) => `---\n${writeYaml(object)}`).join(''),
  };
}
