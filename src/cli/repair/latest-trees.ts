import { spawnSync } from 'node:child_process';
import type { Tree, TreeFile, TreeFolder, TreeNode } from '../../model/formats/index.js';

const MAX_COMMITS = 10;
const MAX_BYTES = 64 * 1024 * 1024;

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
    const listed = git(this.folder, ['ls-tree', '-r', '-z', '--full-tree', this.commit])?.toString('utf8') ?? '';
    for (const line of listed.split('\0')) {
      const [, mode = '', kind = '', id = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
      if (kind === 'blob')
        root.add(
          path.split('/'),
          mode === '120000'
            ? { kind: 'link', id, target: Buffer.from(this.#read(id)).toString('utf8') }
            : this.#file(id, mode === '100755'),
        );
    }
    return root;
  }

  #file(id: string, executable: boolean): TreeFile {
    const read = (): Uint8Array => this.#read(id);
    return {
      kind: 'file',
      id,
      executable,
      get size() {
        return read().length;
      },
      get bytes() {
        return read();
      },
    };
  }

  #read(id: string): Uint8Array {
    const bytes = this.blobs.get(id) ?? git(this.folder, ['cat-file', 'blob', id]) ?? new Uint8Array();
    this.blobs.set(id, bytes);
    return bytes;
  }
}

class Folder implements TreeFolder {
  readonly kind = 'folder';
  readonly entries = new Map<string, TreeNode>();

  constructor(readonly id: string) {}

  add([name = '', ...rest]: readonly string[], node: TreeNode): void {
    if (rest.length === 0) {
      this.entries.set(name, node);
      return;
    }
    const known = this.entries.get(name);
    const inner = known instanceof Folder ? known : new Folder(`${this.id}/${name}`);
    this.entries.set(name, inner);
    inner.add(rest, node);
  }
}

/** Undefined where git says no: then there is no history, and nothing is lost but advice. */
function git(folder: string, words: readonly string[]): Buffer | undefined {
  const { status, stdout } = spawnSync('git', ['-C', folder, ...words], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LC_ALL: 'C' },
    maxBuffer: MAX_BYTES,
  });
  return status === 0 ? stdout : undefined;
}
