import { Fault } from '../../model/faults/index.js';

/** What a server says about its branches and tags. */
export interface Refs {
  /**
   * Full name to commit; a tag that is an object of its own counts as the commit that it names. In the server's order.
   */
  readonly commits: ReadonlyMap<string, string>;
  /** Tags that are objects of their own: full name to the id of that object. */
  readonly tagObjects: ReadonlyMap<string, string>;
  /** The full name of the branch that HEAD means. */
  readonly head?: string;
}

const OBJECT_ID = /^[0-9a-f]{40}$/;

/** Reads `git ls-remote --symref`. */
export function parseRefs(output: string, where: string): Refs {
  const commits = new Map<string, string>();
  const tagObjects = new Map<string, string>();
  let head: string | undefined;
  for (const line of output.split('\n')) {
    if (line === '') continue;
    const [id = '', name = ''] = line.split('\t');
    if (id.startsWith('ref: ')) {
      if (name === 'HEAD') head = id.slice(5);
      continue;
    }
    if (!OBJECT_ID.test(id))
      throw new Fault('SOURCE_INVALID', 'the server lists revisions that are no SHA-1 ids', { where });
    // The line after an annotated tag names the commit inside it.
    const tag = name.endsWith('^{}') ? name.slice(0, -3) : undefined;
    const object = tag === undefined ? undefined : commits.get(tag);
    if (tag !== undefined && object !== undefined) tagObjects.set(tag, object);
    commits.set(tag ?? name, id);
  }
  return { commits, tagObjects, ...(head === undefined ? {} : { head }) };
}

export function branchesOf(refs: Refs): string[] {
  return namesBelow(refs, 'refs/heads/');
}

export function tagsOf(refs: Refs): string[] {
  return namesBelow(refs, 'refs/tags/');
}

/** The default branch, where the server tells. */
export function defaultBranch({ head }: Refs): string | undefined {
  return head?.startsWith('refs/heads/') === true ? head.slice('refs/heads/'.length) : undefined;
}

function namesBelow({ commits }: Refs, prefix: string): string[] {
  return [...commits.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

export function sameRefs(a: Refs, b: Refs): boolean {
  if (a.head !== b.head || a.commits.size !== b.commits.size) return false;
  for (const [name, commit] of a.commits) if (b.commits.get(name) !== commit) return false;
  return true;
}
