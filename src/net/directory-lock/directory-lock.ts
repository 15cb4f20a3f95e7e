import { randomBytes, randomInt } from 'node:crypto';
import { lstat, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../model/faults/index.js';

const NAME = 'lock';
/** sockaddr_un holds 108 bytes on Linux and 104 on macOS; a longer path is cut off without a word. */
const MAX_PATH_BYTES = 100;
const ATTEMPTS = 20;
/** What connecting to a socket says when no process listens on it; any other trouble may be a busy process. */
const NOT_LISTENING = ['ECONNREFUSED', 'ENOENT'];

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that uses a directory, by listening on the unix socket `lock` in it. The kernel ends
 * the listening when the process dies, however it dies, so a socket file that nobody answers on is taken over.
 *
 * Whoever asks listens under a name of its own first and then looks who else does: of two that ask together at least
 * the later one sees the other, and whoever sees another steps back. So at most one gets as far as the name `lock`.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = join(resolve(directory), NAME);
  return await withShortPath(resolve(directory), async (short) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const lock = await tryLock(directory, short, path);
      if (lock !== undefined) return lock;
      await setTimeout(randomInt(1, 10 * (attempt + 1)));
    }
    throw locked(directory, '');
  });
}

/** Undefined where somebody else asks at the same time. */
async function tryLock(directory: string, short: string, path: string): Promise<DirectoryLock | undefined> {
  const own = `${NAME}.${randomBytes(6).toString('hex')}`;
  const server = await listen(join(short, own));
  try {
    const isAlone = await isOnlyContender(short, own);
    // After the others: one of them may have become the holder since they were listed.
    const holder = await askHolder(join(short, NAME));
    if (holder !== undefined) throw locked(directory, holder);
    if (isAlone) {
      await rename(join(short, own), join(short, NAME));
      const { ino } = await lstat(join(short, NAME));
      return { release: () => release(server, path, ino) };
    }
  } catch (error) {
    await withdraw(server, join(short, own));
    throw error;
  }
  await withdraw(server, join(short, own));
  return undefined;
}

/** Whether nobody else asks for the lock. Names are used once, so those of dead processes can be removed. */
async function isOnlyContender(short: string, own: string): Promise<boolean> {
  const others = (await readdir(short)).filter((name) => name.startsWith(`${NAME}.`) && name !== own);
  const alive = await Promise.all(
    others.map(async (name) => {
      if ((await askHolder(join(short, name))) !== undefined) return true;
      await rm(join(short, name), { force: true });
      return false;
    }),
  );
  return !alive.includes(true);
}

async function withdraw(server: Server, path: string): Promise<void> {
  await close(server);
  await rm(path, { force: true });
}

function locked(directory: string, pid: string): Fault {
  const who = pid === '' ? 'another process' : `process ${pid}`;
  return new Fault('STORE_LOCKED', `${who} is using this directory`, { where: directory });
}

/** Runs `use` with a path to the directory that is short enough for a socket: itself, or a symbolic link to it. */
async function withShortPath<T>(directory: string, use: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(join(directory, `${NAME}.${'0'.repeat(12)}`)) <= MAX_PATH_BYTES) return await use(directory);
  const place = await mkdtemp(join(tmpdir(), 'argosy-'));
  try {
    const short = join(place, 'd');
    await symlink(directory, short);
    return await use(short);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function listen(path: string): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy()); // the asker left before it was answered
      socket.end(`${process.pid}\n`);
    });
    server.once('error', fail);
    server.listen(path, () => {
      server.unref();
      done(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}

/** What the holder of a lock says (its process id, or nothing when it is too busy); undefined where nobody listens. */
function askHolder(path: string): Promise<string | undefined> {
  return new Promise((done) => {
    let output = '';
    const socket = createConnection(path);
    socket.setEncoding('utf8');
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('connect', () => {
      socket.on('close', () => done(output.trim()));
    });
    socket.on('data', (text: string) => {
      output += text;
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      done(NOT_LISTENING.includes(error.code ?? '') ? undefined : output.trim()),
    );
  });
}

async function release(server: Server, path: string, inode: number): Promise<void> {
  const held = await lstat(path).catch(() => undefined);
  if (held?.ino === inode) await rm(path, { force: true });
  await close(server);
}
