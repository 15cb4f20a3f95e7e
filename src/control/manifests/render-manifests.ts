import { Fault } from '../../model/faults/index.js';
import { own, type JsonObject } from '../../model/json/index.js';
import type { Tree } from '../../model/formats/index.js';
import {
  describeSource,
  needKey,
  parseRepoSpec,
  traceSource,
  type DescribedSource,
  type FetchedBase,
  type Manifest,
  type Need,
  type RenderCache,
  type RenderOutcome,
  type RenderRequest,
  type RenderResult,
  type SourceType,
  type ValueOrigin,
} from '../../render/index.js';
import { parseAddress, type RepositoryRef, type Sources } from '../../source/index.js';
import { discoverPlugin, evaluateJsonnet, runPlugin, type Tools } from '../../tools/index.js';

/** What rendering needs besides the request. */
export interface Renderer {
  readonly sources: Sources;
  readonly cache: RenderCache;
  /** Renders a request that the cache does not know: in this process, or in a worker that can be stopped. */
  readonly render: (request: RenderRequest) => RenderResult | Promise<RenderResult>;
  readonly host: RenderRequest['host'];
  /**
   * Hosts from which a source may take bases of Kustomize and values files of Helm; none unless the administrator names
   * them.
   */
  readonly remoteHosts: readonly string[];
  /** The programs that the administrator named; without them jsonnet files and plugins are refused. */
  readonly tools?: Tools;
}

export interface RenderManifestsRequest {
  readonly application: RenderRequest['application'];
  /** `spec.source`, or all of `spec.sources`. */
  readonly sources: readonly JsonObject[];
  readonly destinationNamespace: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  /** Ways to render that the administrator switched off. */
  readonly disabled?: readonly SourceType[];
  /** How old the answer of a server may be; 0 asks it now. */
  readonly maxAge?: number;
}

export interface RenderedSource {
  /** The commit, or the version of a chart. */
  readonly revision: string;
  /** Undefined for a source that only lends its files to others. */
  readonly type: SourceType | undefined;
  readonly warnings: readonly string[];
  /** The same commit gives the same manifests for ever: nothing came from elsewhere. */
  readonly isPinned: boolean;
}

export interface RenderedManifests {
  readonly manifests: readonly Manifest[];
  readonly sources: readonly RenderedSource[];
}

/** Rounds of fetching for one source: charts of charts of charts, bases of bases. */
const MAX_FETCH_ROUNDS = 12;

/** The manifests of an Application at the newest commits of its sources. */
export async function renderManifests(request: RenderManifestsRequest, renderer: Renderer): Promise<RenderedManifests> {
  const prepared = await Promise.all(request.sources.map((source) => checkout(source, request, renderer)));
  const refs = new Map(prepared.flatMap((each) => (each.ref === '' ? [] : [[each.ref, each] as const])));
  const rendered = await Promise.all(prepared.map((each) => renderCheckedOut(each, refs, request, renderer)));
  return {
    manifests: rendered.flatMap(({ manifests }) => manifests),
    sources: rendered.map(({ rendered: source }) => source),
  };
}

/** The manifests of one source whose files are those of the tree, whatever its repository holds. */
export async function renderTree(
  source: JsonObject,
  tree: Tree,
  request: Omit<RenderManifestsRequest, 'sources'>,
  renderer: Renderer,
): Promise<readonly Manifest[]> {
  const repository: RepositoryRef = { url: textOf(source, 'repoURL'), project: request.application.project };
  return (
    await renderCheckedOut(
      { source, repository, ref: '', revision: tree.commit, tree },
      new Map(),
      { ...request, sources: [source] },
      renderer,
    )
  ).manifests;
}

/** The commits that an Application's sources have now, empty for one that is no commit. */
export async function resolveSources(
  { project, sources }: { readonly project: string; readonly sources: readonly JsonObject[] },
  renderer: Renderer,
  maxAge?: number,
): Promise<readonly string[]> {
  return Promise.all(
    sources.map(async (source) => {
      if (textOf(source, 'chart') !== '') return '';
      const repository: RepositoryRef = { url: textOf(source, 'repoURL'), project };
      return (
        await renderer.sources.resolve(repository, textOf(source, 'targetRevision'), {
          tagPrefix: textOf(source, 'tagPrefix'),
          ...(maxAge === undefined ? {} : { maxAge }),
        })
      ).commit;
    }),
  );
}

interface CheckedOutSource {
  readonly source: JsonObject;
  readonly repository: RepositoryRef;
  readonly ref: string;
  readonly revision: string;
  tree: Tree;
  readonly chart?: { readonly bytes: Uint8Array; readonly id: string };
}

const textOf = (
  source: JsonObject,
  field: 'repoURL' | 'targetRevision' | 'path' | 'chart' | 'ref' | 'tagPrefix',
): string => {
  const value = own(source, field);
  return typeof value === 'string' ? value : '';
};

async function checkout(
  source: JsonObject,
  { application, maxAge }: RenderManifestsRequest,
  { sources }: Renderer,
): Promise<CheckedOutSource> {
  const repository: RepositoryRef = { url: textOf(source, 'repoURL'), project: application.project };
  const [revision, chart, ref] = [textOf(source, 'targetRevision'), textOf(source, 'chart'), textOf(source, 'ref')];
  const age = maxAge === undefined ? {} : { maxAge };
  if (chart !== '') {
    const { bytes, version, digest } = await sources.fetchChart({ repository, chart, version: revision, ...age });
    return {
      source,
      repository,
      ref,
      revision: version,
      tree: { repository: repository.url, commit: version, root: { kind: 'folder', id: '', entries: new Map() } },
      chart: { bytes, id: digest },
    };
  }
  const { commit } = await sources.resolve(repository, revision, { tagPrefix: textOf(source, 'tagPrefix'), ...age });
  const tree = await sources.tree({ repository, commit, paths: isOnlyRef(source) ? [] : [textOf(source, 'path')] });
  return { source, repository, ref, revision: commit, tree };
}

/** A source that lends its files to others and renders nothing itself. */
function isOnlyRef(source: JsonObject): boolean {
  return textOf(source, 'ref') !== '' && textOf(source, 'path') === '' && textOf(source, 'chart') === '';
}

async function renderCheckedOut(
  prepared: CheckedOutSource,
  refs: ReadonlyMap<string, CheckedOutSource>,
  request: RenderManifestsRequest,
  renderer: Renderer,
): Promise<{ manifests: readonly Manifest[]; rendered: RenderedSource }> {
  if (isOnlyRef(prepared.source))
    return { manifests: [], rendered: { revision: prepared.revision, type: undefined, warnings: [], isPinned: true } };
  const { outcome, isPinned } = await fetchUntilComplete(prepared, refs, request, renderer, (ready) =>
    renderCached(renderer, ready),
  );
  return {
    manifests: outcome.manifests,
    rendered: { revision: prepared.revision, type: outcome.type, warnings: outcome.warnings, isPinned },
  };
}

/** Where the values of an Application's charts come from, source by source. */
export async function traceValues(
  request: RenderManifestsRequest,
  renderer: Renderer,
): Promise<readonly (readonly ValueOrigin[])[]> {
  const prepared = await Promise.all(request.sources.map((source) => checkout(source, request, renderer)));
  const refs = new Map(prepared.flatMap((each) => (each.ref === '' ? [] : [[each.ref, each] as const])));
  return Promise.all(
    prepared.map(async (each) =>
      isOnlyRef(each.source)
        ? []
        : (await fetchUntilComplete(each, refs, request, renderer, (ready) => Promise.resolve(traceSource(ready))))
            .outcome.values,
    ),
  );
}

/** What can be set in the first source. */
export async function describeFirstSource(
  request: RenderManifestsRequest,
  renderer: Renderer,
): Promise<DescribedSource> {
  const prepared = await Promise.all(request.sources.map((source) => checkout(source, request, renderer)));
  const refs = new Map(prepared.flatMap((each) => (each.ref === '' ? [] : [[each.ref, each] as const])));
  const [first] = prepared;
  if (first === undefined) throw new Fault('VALUE_INVALID', 'there is no source to inspect', { where: 'source' });
  return (await fetchUntilComplete(first, refs, request, renderer, (ready) => Promise.resolve(describeSource(ready))))
    .outcome;
}

type Incomplete = { readonly kind: 'needs'; readonly needs: readonly Need[] };

/** Fetches what is missing and tries again, until nothing is. */
async function fetchUntilComplete<Outcome extends { readonly kind: string }>(
  prepared: CheckedOutSource,
  refs: ReadonlyMap<string, CheckedOutSource>,
  request: RenderManifestsRequest,
  renderer: Renderer,
  run: (ready: RenderRequest) => Promise<Outcome | Incomplete>,
): Promise<{ readonly outcome: Exclude<Outcome, Incomplete>; readonly isPinned: boolean }> {
  const fetched = new Map<string, Uint8Array>();
  const bases = new Map<string, FetchedBase>();
  for (let round = 0; round < MAX_FETCH_ROUNDS; round++) {
    const outcome = await withMissingPathHint(prepared, renderer, () =>
      run({
        ...request,
        tree: prepared.tree,
        source: prepared.source,
        refs: new Map([...refs].map(([name, { tree }]) => [name, tree])),
        fetched,
        bases,
        host: renderer.host,
        ...(prepared.chart === undefined ? {} : { chart: prepared.chart }),
      }),
    );
    if (!isIncomplete(outcome))
      return {
        outcome: outcome as Exclude<Outcome, Incomplete>,
        isPinned: prepared.chart === undefined && fetched.size === 0 && bases.size === 0,
      };
    await fetchNeeds(
      outcome.needs,
      { source: prepared, refs, fetched, bases, project: request.application.project },
      renderer,
    );
  }
  throw new Fault('RENDER_LIMIT', `the source still needs more content after ${MAX_FETCH_ROUNDS} fetch rounds`, {
    where: prepared.repository.url,
  });
}

function isIncomplete(outcome: { readonly kind: string }): outcome is Incomplete {
  return outcome.kind === 'needs';
}

async function renderCached({ cache, render }: Renderer, request: RenderRequest): Promise<RenderOutcome> {
  return cache.find(request) ?? cache.add(request, await render(request));
}

interface FetchState {
  readonly source: CheckedOutSource;
  readonly refs: ReadonlyMap<string, CheckedOutSource>;
  readonly fetched: Map<string, Uint8Array>;
  readonly bases: Map<string, FetchedBase>;
  readonly project: string;
}

/** The fault of a missing path names the branches that have it. */
async function withMissingPathHint<Result>(
  { repository, source, revision }: CheckedOutSource,
  { sources }: Renderer,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'RENDER_PATH_MISSING' || !error.message.includes(': app path'))
      throw error;
    throw await sources.explainMissingPath(
      repository,
      textOf(source, 'path'),
      textOf(source, 'targetRevision'),
      revision,
    );
  }
}

async function fetchNeeds(needs: readonly Need[], state: FetchState, renderer: Renderer): Promise<void> {
  const trees = [state.source, ...state.refs.values()];
  const wanted = new Map<CheckedOutSource, string[]>();
  for (const need of needs) {
    if (need.kind === 'file' || need.kind === 'submodule') {
      // A source and its `ref` may be the same commit of the same repository, and either may be the one that lacks the
      // file.
      const owners = trees.filter(({ tree }) => tree.repository === need.repository && tree.commit === need.commit);
      if (owners.length === 0)
        throw new Fault('RENDER_PATH_MISSING', 'a file of an unknown tree is needed', { where: need.path });
      for (const owner of owners) wanted.set(owner, [...(wanted.get(owner) ?? []), need.path]);
    } else await fetchNeed(need, state, renderer);
  }
  await Promise.all(
    [...wanted].map(async ([owner, paths]) => {
      owner.tree = await renderer.sources.load(owner.repository, owner.tree, paths);
    }),
  );
}

async function fetchNeed(
  need: Exclude<Need, { kind: 'file' | 'submodule' }>,
  { source, fetched, bases, project }: FetchState,
  renderer: Renderer,
): Promise<void> {
  const { sources, remoteHosts } = renderer;
  switch (need.kind) {
    case 'chart': {
      const isForeign = ![...remoteHosts, gitHost(source.repository.url)].includes(httpHost(need.repository));
      const { bytes } = await sources.fetchChart({
        repository: { url: need.repository, project },
        chart: need.name,
        version: need.version,
        isForeign,
      });
      fetched.set(needKey(need), bytes);
      return;
    }
    case 'base': {
      const spec = parseRepoSpec(need.address);
      const host = spec === undefined ? '' : gitHost(spec.repository);
      if (spec === undefined || !remoteHosts.includes(host))
        throw new Fault('SOURCE_REFUSED', `bases from ${host === '' ? 'there' : host} are not allowed`, {
          where: need.address,
        });
      const repository = { url: spec.repository, project, staysOnServer: true };
      const { commit } = await sources.resolve(repository, spec.ref);
      bases.set(need.address, { kind: 'tree', tree: await sources.tree({ repository, commit, paths: [spec.path] }) });
      return;
    }
    case 'values': {
      const host = httpHost(need.address);
      if (!remoteHosts.includes(host))
        throw new Fault(
          'SOURCE_REFUSED',
          `values files from ${host === '' ? 'there' : host} are not allowed; keep them in a repository and use $ref`,
          { where: need.address },
        );
      fetched.set(needKey(need), await sources.fetchFile({ url: need.address, project }));
      return;
    }
    case 'jsonnet':
    case 'plugin':
      fetched.set(needKey(need), await runTool(need, source, project, renderer));
      return;
    default:
      need satisfies never;
  }
}

/** A program may read any file, so it gets the whole repository. */
async function runTool(
  need: Need & { kind: 'jsonnet' | 'plugin' },
  { repository, tree }: CheckedOutSource,
  project: string,
  { sources, tools }: Renderer,
): Promise<Uint8Array> {
  if (tools === undefined) throw noTool(need);
  if (need.kind === 'jsonnet')
    return evaluateJsonnet(tools, {
      tree: await sources.load(repository, tree, ['']),
      project,
      path: need.path,
      settings: need.settings,
    });
  const { path, plugin, kubeVersion, apiVersions } = need;
  const request = {
    tree: await sources.load(repository, tree, ['']),
    project,
    path,
    plugin,
    environment: new Map(Object.entries(need.environment)),
    kubeVersion,
    apiVersions,
  };
  const name =
    typeof plugin.name === 'string' && plugin.name !== '' ? plugin.name : await discoverPlugin(tools, request);
  if (name === undefined) throw noTool(need);
  return Buffer.from(await runPlugin(tools, { ...request, name }));
}

function noTool(need: Need & { kind: 'jsonnet' | 'plugin' }): Fault {
  if (need.kind === 'jsonnet')
    return new Fault('TOOL_MISSING', 'jsonnet files need the program jsonnet: set it with --tool jsonnet=/path', {
      where: need.path,
    });
  const name = typeof need.plugin.name === 'string' ? need.plugin.name : '';
  return new Fault(
    'TOOL_MISSING',
    name === ''
      ? 'no plugin matches the folder, and the source names none'
      : `no program is configured for the plugin "${name}": set it with --tool ${name}=/path`,
    { where: 'spec.source.plugin' },
  );
}

/** The server of a repository as git reads the address; none where it is no address. */
function gitHost(address: string): string {
  try {
    return parseAddress(address).host.replace(/:\d+$/, '').toLowerCase();
  } catch (error) {
    if (error instanceof Fault) return '';
    throw error;
  }
}

/** The server of a file or chart repository as HTTP reads the address; the two differ in what `#` and `@` mean. */
function httpHost(address: string): string {
  const url = address.replace(/^oci:/i, 'https:');
  return URL.canParse(url) ? new URL(url).hostname : '';
}
