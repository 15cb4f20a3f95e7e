import { spawnSync } from 'node:child_process';
import type { Tree, TreeFile, TreeFolder, TreeNode } from '../../model/formats/index.js';

const MAX_COMMITS = 10;
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes that are read beside a file that is wanted. */
const MAX_AHEAD = 16 * 1024 * 1024;

/**
 * What a clone held at its last commits, the latest first. Nothing is read before somebody asks; a folder that is no
 * clone has none.
 */
export function latestTrees(folder: string, revision: string, repository: string): Tree[] {
  const listed =
    git(folder, [
      'rev-list',
      '--first-parent',
      `--max-count=${MAX_COMMITS + 1}`,
      '--end-of-options',
      revision,
      '--',
    ])?.toString('utf8') ?? '';
  const blobs = new Map<string, Uint8Array>();
  return listed
    .split('\n')
    .filter((commit) => commit !== '')
    .map((commit) => new CommitTree(folder, commit, repository, blobs));
}

class CommitTree implements Tree {
  #root: TreeFolder | undefined;

  constructor(
    readonly folder: string,
    readonly commit: string,
    readonly repository: string,
    readonly blobs: Map<string, Uint8Array>,
  ) {}

  get root(): TreeFolder {
    this.#root ??= this.#list();
    return this.#root;
  }

  #list(): TreeFolder {
    const root = new Folder(this.commit);
    const listed = git(this.folder, ['ls-tree', '-r', '-z', '-l', '--full-tree', this.commit])?.toString('utf8') ?? '';
    for (const line of listed.split('\0')) {
      const [, mode = '', kind = '', id = '', size = '', path = ''] =
        /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t([^]*)$/.exec(line) ?? [];
      if (kind !== 'blob') continue;
      const names = path.split('/');
      const parent = root.folder(names.slice(0, -1));
      parent.entries.set(
        names.at(-1) ?? '',
        mode === '120000'
          ? { kind: 'link', id, target: Buffer.from(this.#read(id, parent)).toString('utf8') }
          : this.#file(id, Number(size), mode === '100755', parent),
      );
    }
    return root;
  }

  #file(id: string, size: number, executable: boolean, parent: Folder): TreeFile {
    const read = (): Uint8Array => this.#read(id, parent);
    return {
      kind: 'file',
      id,
      executable,
      size,
      get bytes() {
        return read();
      },
    };
  }

  /** Who reads one file of a folder reads the others too: git is started once for all of them. */
  #read(id: string, parent: Folder): Uint8Array {
    if (!this.blobs.has(id)) {
      let left = MAX_AHEAD;
      const others = [...parent.entries.values()].flatMap((entry) => {
        if (entry.kind !== 'file' || this.blobs.has(entry.id) || (entry.size ?? 0) > left) return [];
        left -= entry.size ?? 0;
        return [entry.id];
      });
      for (const [read, bytes] of readBlobs(this.folder, [...new Set([id, ...others])])) this.blobs.set(read, bytes);
    }
    return this.blobs.get(id) ?? new Uint8Array();
  }
}

class Folder implements TreeFolder {
  readonly kind = 'folder';
  readonly entries = new Map<string, TreeNode>();

  constructor(readonly id: string) {}

  /** The folder below this one; it and those between are made where they are not there yet. */
  folder([name, ...rest]: readonly string[]): Folder {
    if (name === undefined) return this;
    const known = this.entries.get(name);
    const inner = known instanceof Folder ? known : new Folder(`${this.id}/${name}`);
    this.entries.set(name, inner);
    return inner.folder(rest);
  }
}

/** Blobs by id, as `cat-file --batch` gives them: a line with id, type and size, the bytes, a line end. */
function* readBlobs(folder: string, ids: readonly string[]): Iterable<readonly [string, Uint8Array]> {
  const output = git(folder, ['cat-file', '--batch'], `${ids.join('\n')}\n`) ?? Buffer.alloc(0);
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(0x0a, at);
    const [id = '', type, size = ''] = output.toString('latin1', at, lineEnd).split(' ');
    at = lineEnd + 1;
    if (type !== 'blob') continue;
    yield [id, output.subarray(at, at + Number(size))];
    at += Number(size) + 1;
  }
}

/** Undefined where git says no: then there is no history, and nothing is lost but advice. */
function git(folder: string, words: readonly string[], input = ''): Buffer | undefined {
  const { status, stdout } = spawnSync('git', ['-C', folder, ...words], {
    input,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LC_ALL: 'C' },
    maxBuffer: MAX_BYTES,
  });
  return status === 0 ? stdout : undefined;
}
