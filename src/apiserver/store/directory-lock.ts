import { randomBytes } from 'node:crypto';
import { link, lstat, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fault } from '../../model/index.js';

const NAME = 'lock';
/** sockaddr_un holds 108 bytes on Linux and 104 on macOS; a longer path is cut off without a word. */
const LONGEST_PATH = 100;

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that uses a directory, by listening on the unix socket `lock` in it. The kernel ends
 * the listening when the process dies, however it dies, so a socket file that nobody answers on is taken over.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = join(resolve(directory), NAME);
  return await withShortPath(resolve(directory), async (short) => {
    // Listening under a name of its own and then linking it makes "create, unless there" one step.
    const own = `${NAME}.${randomBytes(6).toString('hex')}`;
    const server = await listen(join(short, own));
    try {
      for (let attempt = 0; attempt < 10 && !(await tryLink(join(short, own), join(short, NAME))); attempt++) {
        const holder = await answer(join(short, NAME));
        if (holder !== undefined) throw locked(directory, holder);
        await removeStale(short);
      }
      const mine = await lstat(join(short, own));
      const held = await lstat(join(short, NAME)).catch(() => undefined);
      if (held?.ino !== mine.ino) throw locked(directory, '');
      await rm(join(short, own), { force: true });
      return { release: () => release(server, path, mine.ino) };
    } catch (error) {
      await close(server);
      await rm(join(short, own), { force: true });
      throw error;
    }
  });
}

function locked(directory: string, pid: string): Fault {
  const who = pid === '' ? 'another process' : `process ${pid}`;
  return new Fault('STORE_LOCKED', `${who} is using this directory`, { where: directory });
}

/** Runs `use` with a path to the directory that is short enough for a socket: itself, or a symbolic link to it. */
async function withShortPath<T>(directory: string, use: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(join(directory, `${NAME}.${'0'.repeat(12)}`)) <= LONGEST_PATH) return await use(directory);
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

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** What the holder of a lock says (its process id, or nothing when it is too busy); undefined where nobody listens. */
function answer(path: string): Promise<string | undefined> {
  return new Promise((done) => {
    let said = '';
    const socket = createConnection(path);
    socket.setEncoding('utf8');
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('connect', () => {
      socket.on('close', () => done(said.trim()));
    });
    socket.on('data', (text: string) => {
      said += text;
    });
    socket.on('error', () => done(undefined));
  });
}

/** Removes the socket file of a dead process, and gives it back if it turns out that a live one has just replaced it. */
async function removeStale(short: string): Promise<void> {
  const aside = join(short, `${NAME}.${randomBytes(6).toString('hex')}`);
  try {
    await rename(join(short, NAME), aside);
  } catch {
    return; // somebody else removed it first; the next attempt sees what is there now
  }
  if ((await answer(aside)) !== undefined) await tryLink(aside, join(short, NAME));
  await rm(aside, { force: true });
}

async function release(server: Server, path: string, inode: number): Promise<void> {
  const held = await lstat(path).catch(() => undefined);
  if (held?.ino === inode) await rm(path, { force: true });
  await close(server);
}
