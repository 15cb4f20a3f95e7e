import { createHash } from 'node:crypto';
import { writeJson } from '../model/json/index.js';
import type { Tree } from '../model/formats/index.js';
import {
  environmentValues,
  type Rendered,
  type RenderOutcome,
  type RenderRequest,
} from './application-source/index.js';
import { holds } from './common/index.js';
import { renderSource, type Dependencies, type RenderResult } from './render-source.js';

export interface RenderCacheOptions {
  /** Results that are kept; the one that was not asked for longest goes first. */
  readonly most: number;
  /** Renders a request where no kept result fits; replaced where renders run in workers. */
  readonly render?: typeof renderSource;
}

interface CachedRender {
  readonly dependencies: Dependencies;
  readonly rendered: Rendered;
}

const CACHE_DEFAULTS = { most: 2_000, render: renderSource };
/** Results of one source that are kept: two branches, a rollback and what was before. */
const MAX_RESULTS_PER_SOURCE = 4;

/**
 * Remembers what a source rendered to and everything it looked at. A commit that changes none of that gets the same
 * answer without a render, whatever else it changes; so no annotation has to say which paths an application uses.
 */
export class RenderCache {
  readonly #kept = new Map<string, CachedRender[]>();
  readonly #options: Required<RenderCacheOptions>;
  /** Renders that were really done. */
  renders = 0;

  constructor(options: Partial<RenderCacheOptions> = {}) {
    this.#options = { ...CACHE_DEFAULTS, ...options };
  }

  render(request: RenderRequest): RenderOutcome {
    return this.find(request) ?? this.add(request, this.#options.render(request));
  }

  /** The kept result of a request that differs in nothing that it looked at. */
  find(request: RenderRequest): Rendered | undefined {
    const key = keyOf(request);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.find(({ dependencies }) => isSame(dependencies, request))?.rendered;
  }

  /** Keeps what a request was rendered to. */
  add(request: RenderRequest, { outcome, dependencies }: RenderResult): RenderOutcome {
    this.renders++;
    if (outcome.kind === 'needs') return outcome;
    const key = keyOf(request);
    this.#kept.set(
      key,
      [{ dependencies, rendered: outcome }, ...(this.#kept.get(key) ?? [])].slice(0, MAX_RESULTS_PER_SOURCE),
    );
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= this.#options.most) break;
      this.#kept.delete(oldest);
    }
    return outcome;
  }
}

/** Everything that is no tree: two requests of one key differ only in what their trees and variables hold. */
function keyOf({
  tree,
  source,
  refs,
  application,
  destinationNamespace,
  kubeVersion,
  apiVersions,
  chart,
  fetched,
  bases = new Map(),
  disabled = [],
}: RenderRequest): string {
  const hash = createHash('sha256');
  const parts = [
    tree.repository,
    writeJson(source),
    application.name,
    application.namespace,
    application.project,
    destinationNamespace,
    kubeVersion,
    ...apiVersions,
    '',
    chart?.id ?? '',
    ...disabled,
  ];
  for (const part of parts) hash.update(`${part}\0`);
  for (const [name, { repository }] of refs) hash.update(`${name}=${repository}\0`);
  for (const [address, base] of bases)
    hash.update(`${address}=${base.kind === 'tree' ? base.tree.commit : base.text}\0`);
  for (const [name, bytes] of fetched) hash.update(`${name}\0`).update(createHash('sha256').update(bytes).digest());
  return hash.digest('base64');
}

function isSame({ files, refs, environment }: Dependencies, request: RenderRequest): boolean {
  const values = environmentValues(request);
  return (
    holds(files, request.tree) &&
    [...refs].every(([name, facts]) => holdsIn(facts, request.refs.get(name))) &&
    [...environment].every(([name, value]) => (values.get(name) ?? '') === value)
  );
}

function holdsIn(facts: Dependencies['files'], tree: Tree | undefined): boolean {
  return tree !== undefined && holds(facts, tree);
}
