import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../model/faults/index.js';
import { isArray, type Json, type JsonObject } from '../model/json/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import type { Tree, TreeFolder, TreeNode } from '../model/formats/index.js';
import { RenderCache } from './render-cache.js';
import { renderSource } from './render-source.js';
import type { RenderOutcome, RenderRequest } from './application-source/render-request.js';

type Files = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly files: Files;
  readonly refs?: Readonly<Record<string, Files>>;
  readonly source?: JsonObject;
  readonly application?: Partial<RenderRequest['application']>;
  /** Objects that must come out, in this order; each may say only some fields. */
  readonly objects?: readonly JsonObject[];
  readonly origins?: readonly string[];
  readonly fault?: { readonly code: string; readonly says: string };
  readonly needs?: Json;
  /**
   * Commits after the first: what they change, and whether that needs a render. A file that becomes null is deleted.
   */
  readonly later?: readonly {
    readonly name: string;
    readonly files?: Readonly<Record<string, string | null>>;
    readonly refs?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
    readonly renders: boolean;
  }[];
}

const sha = (text: string): string => createHash('sha1').update(text).digest('hex');

/** A tree of texts; `-> target` is a link. */
function treeOf(files: Files, repository: string): Tree {
  const folder = (prefix: string): TreeFolder => {
    const entries = new Map<string, TreeNode>();
    for (const path of Object.keys(files)
      .filter((each) => each.startsWith(prefix))
      .sort()) {
      const [name = '', ...rest] = path.slice(prefix.length).split('/');
      const text = files[path] ?? '';
      if (rest.length > 0) entries.set(name, entries.get(name) ?? folder(`${prefix}${name}/`));
      else if (text.startsWith('-> ')) entries.set(name, { kind: 'link', id: sha(text), target: text.slice(3) });
      else entries.set(name, { kind: 'file', id: sha(text), executable: false, bytes: Buffer.from(text) });
    }
    return { kind: 'folder', id: sha([...entries].map(([name, node]) => `${name} ${node.id}`).join()), entries };
  };
  return { repository, commit: sha(JSON.stringify(files)), root: folder('') };
}

function requestOf({
  files,
  refs = {},
  source = {},
  application = {},
}: Pick<Case, 'files' | 'refs' | 'source' | 'application'>): RenderRequest {
  return {
    tree: treeOf(files, 'https://git.example/shop'),
    source: { repoURL: 'https://git.example/shop', path: 'app', targetRevision: 'main', ...source },
    refs: new Map(Object.entries(refs).map(([name, texts]) => [name, treeOf(texts, `https://git.example/${name}`)])),
    application: { name: 'shop', namespace: 'argocd', project: 'default', ...application },
    destinationNamespace: 'prod',
    kubeVersion: '1.34.4',
    apiVersions: [],
    fetched: new Map(),
    host: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
  };
}

const folder = join(import.meta.dirname, 'cases');
const cases = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => {
    const read = readOneYaml(readFileSync(join(folder, file), 'utf8'), { dialect: 'kubernetes', file });
    return (isArray(read) ? read : []) as unknown as Case[];
  });

function changed<Value>(
  before: Readonly<Record<string, Value>>,
  change: Readonly<Record<string, Value | null>> = {},
): Record<string, Value> {
  const after = { ...before, ...change };
  return Object.fromEntries(Object.entries(after).filter((entry): entry is [string, Value] => entry[1] !== null));
}

function manifests(outcome: RenderOutcome): { objects: readonly KubeObject[]; origins: string[] } {
  if (outcome.kind !== 'rendered') throw new Error(`needs ${JSON.stringify(outcome.needs)}`);
  return {
    objects: outcome.manifests.map(({ object }) => object),
    origins: outcome.manifests.map(({ origin }) => `${origin.file}:${origin.line}`),
  };
}

describe('rendering a source', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const request = requestOf(each);
    if (each.fault !== undefined) {
      const failed = catchFault(() => renderSource(request));
      expect({ code: failed?.code, message: `${failed?.message ?? ''} (${failed?.where ?? ''})` }).toMatchObject({
        code: each.fault.code,
        message: expect.stringContaining(each.fault.says) as string,
      });
      return;
    }
    const { outcome } = renderSource(request);
    if (each.needs !== undefined) {
      expect(outcome).toMatchObject({ kind: 'needs', needs: each.needs });
      return;
    }
    const { objects, origins } = manifests(outcome);
    if (each.objects !== undefined) {
      expect(objects).toMatchObject(each.objects);
      expect(objects).toHaveLength(each.objects.length);
    }
    if (each.origins !== undefined) expect(origins).toEqual(each.origins);
    checkLater(each, request);
  });
});

/** The cache renders again where a commit concerns the source, and only there; its answer is that of a fresh render. */
function checkLater(each: Case, request: RenderRequest): void {
  const cache = new RenderCache();
  cache.render(request);
  for (const { name, files, refs = {}, renders } of each.later ?? []) {
    const later = requestOf({
      ...each,
      files: changed(each.files, files),
      refs: Object.fromEntries(Object.entries(each.refs ?? {}).map(([ref, texts]) => [ref, changed(texts, refs[ref])])),
    });
    const before = cache.renders;
    expect(cache.render(later)).toEqual(renderSource(later).outcome);
    expect([name, cache.renders - before]).toEqual([name, renders ? 1 : 0]);
  }
}

function catchFault(run: () => unknown): Fault | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
