import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../src/model/faults/index.js';
import { isObject, own } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { TreeNode } from '../../src/model/formats/index.js';
import { openSources } from '../../src/source/index.js';
import { SOURCE_ENVIRONMENT } from './outside/source-environment.js';

/**
 * Whether git has a file at the revision and below the path that an Application names; a text says why that cannot be
 * told.
 */
export async function gitHas(
  application: KubeObject,
  file: string,
  outside: ReadonlyMap<string, string>,
): Promise<boolean | string> {
  const { repoURL, targetRevision, path } = sourceOf(application);
  const data = mkdtempSync(join(tmpdir(), 'argosy-git-'));
  const access = { username: outside.get('gitUser') ?? '', password: outside.get('gitPassword') ?? '' };
  const sources = await openSources({ data, ...SOURCE_ENVIRONMENT, report: () => undefined, accessTo: () => access });
  try {
    const { commit } = await sources.resolve({ url: repoURL }, targetRevision);
    const { root } = await sources.tree({ repository: { url: repoURL }, commit, paths: [] });
    const names = `${path}/${file}`.split('/').filter((name) => name !== '' && name !== '.');
    return (
      names.reduce<TreeNode | undefined>(
        (at, name) => (at?.kind === 'folder' ? at.entries.get(name) : undefined),
        root,
      ) !== undefined
    );
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  } finally {
    await sources.close();
    rmSync(data, { recursive: true, force: true });
  }
}

function sourceOf({ spec }: KubeObject): {
  readonly repoURL: string;
  readonly targetRevision: string;
  readonly path: string;
} {
  const source = isObject(spec) ? own(spec, 'source') : undefined;
  const text = (name: string): string => String((isObject(source) ? own(source, name) : undefined) ?? '');
  return { repoURL: text('repoURL'), targetRevision: text('targetRevision') || 'HEAD', path: text('path') };
}
