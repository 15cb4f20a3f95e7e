import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { Fault } from '../../src/model/faults/index.js';

/** The first commit is of this second, so that the same files have the same id everywhere. */
const FIRST_SECOND = 1_764_892_800;
const AUTHOR = 'Platform Team <platform@ameide.example.com>';

export interface Commit {
  readonly message: string;
  /** The branch that it is put on; `main` unless given. A branch begins where `from` is. */
  readonly branch?: string;
  readonly from?: string;
  /** Files by path; undefined takes one away. */
  readonly files: ReadonlyMap<string, string | undefined>;
}

/** A bare repository with these commits, in a folder that is not there yet. Gives the id of the last on `main`. */
export function writeRepository(folder: string, commits: readonly Commit[]): string {
  if (existsSync(folder))
    throw new Fault('VALUE_INVALID', 'the folder is there already; name another or remove it', { where: folder });
  mkdirSync(folder, { recursive: true });
  git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', '--template=', '.']);
  git(
    folder,
    ['fast-import', '--quiet', '--date-format=raw', '--done'],
    Buffer.concat(commits.flatMap(commitParts).concat(Buffer.from('done\n'))),
  );
  return git(folder, ['rev-parse', 'main']).trim();
}

/** One commit more on `main` of a repository that is there: its files become exactly these. Gives its id. */
export function replaceFiles(folder: string, message: string, files: ReadonlyMap<string, string>): string {
  const before = git(folder, ['ls-tree', '-r', '-z', '--name-only', 'main'])
    .split('\0')
    .filter((path) => path !== '' && !files.has(path));
  const index = Number(git(folder, ['rev-list', '--count', 'main']));
  const commit: Commit = {
    message,
    from: 'main^0',
    files: new Map<string, string | undefined>([...before.map((path) => [path, undefined] as const), ...files]),
  };
  git(
    folder,
    ['fast-import', '--quiet', '--date-format=raw', '--done'],
    Buffer.concat([...commitParts(commit, index), Buffer.from('done\n')]),
  );
  return git(folder, ['rev-parse', 'main']).trim();
}

/** One commit more on a branch of a repository that is there; a branch that is new begins at `from`. */
export function addCommit(folder: string, commit: Commit): void {
  const index = Number(git(folder, ['rev-list', '--count', '--all']));
  git(
    folder,
    ['fast-import', '--quiet', '--date-format=raw', '--done'],
    Buffer.concat([...commitParts(commit, index), Buffer.from('done\n')]),
  );
}

/** Takes a repository back to one commit on `main`, and nothing beside it. */
export function resetRepository(folder: string, commit: string): void {
  const branches = git(folder, ['for-each-ref', '--format=%(refname)', 'refs/heads'])
    .split('\n')
    .filter((name) => name !== '' && name !== 'refs/heads/main');
  for (const branch of branches) git(folder, ['update-ref', '-d', branch]);
  git(folder, ['update-ref', 'refs/heads/main', commit]);
}

/** One commit for git fast-import, on top of the one before on its branch: files are written into the stream itself. */
function commitParts({ message, branch = 'main', from, files }: Commit, index: number): Buffer[] {
  const when = `${AUTHOR} ${FIRST_SECOND + index * 60} +0000`;
  const head = Buffer.from(
    `commit refs/heads/${branch}\nauthor ${when}\ncommitter ${when}\ndata ${Buffer.byteLength(message)}\n` +
      `${message}\n${from === undefined ? '' : `from refs/heads/${from}\n`}`,
  );
  return [
    head,
    ...[...files].map(([path, text]) =>
      Buffer.from(
        text === undefined ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      ),
    ),
  ];
}

/** Without the settings of the user or the machine, and with one thread: both could change the bytes. */
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'pack.threads',
  GIT_CONFIG_VALUE_0: '1',
  LC_ALL: 'C',
};

function git(folder: string, words: readonly string[], input?: Buffer): string {
  const { status, stdout, stderr, error } = spawnSync('git', words, {
    cwd: folder,
    env: ENVIRONMENT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined || status !== 0)
    throw new Fault('TOOL_FAILED', `git ${words[0] ?? ''} failed: ${error?.message ?? stderr.trim()}`, {
      where: folder,
      ...(error === undefined ? {} : { cause: error }),
    });
  return stdout;
}
