import { spawn } from 'node:child_process';
import type { Exchange } from './http/exchange.js';
import { startDouble, type Double, type DoubleOptions } from './http/start-double.js';

export interface GitUser {
  readonly name: string;
  readonly password: string;
  readonly mayPush?: boolean;
}

export interface GitServerOptions extends DoubleOptions {
  /** Repositories below it are served by their path: `shop.git` as `URL/shop.git`. */
  readonly folder: string;
  readonly users: readonly GitUser[];
  /** Everybody may read; pushing still asks for a password. */
  readonly isPublic?: boolean;
  /** As it is shown to who is asked for a password. */
  readonly realm?: string;
}

export interface GitServer extends Double {
  /** From now on this is the only password of the user. */
  setPassword(name: string, password: string): void;
}

/** git over HTTP with passwords, by the real `git http-backend`. */
export async function startGitServer({
  folder,
  users,
  isPublic = false,
  realm = 'Gitea',
  ...options
}: GitServerOptions): Promise<GitServer> {
  const known = new Map(users.map((user) => [user.name, user]));
  const double = await startDouble((exchange) => {
    const isPush = exchange.path.endsWith('/git-receive-pack') || exchange.query.get('service') === 'git-receive-pack';
    const given = exchange.basic;
    const user = given === undefined ? undefined : known.get(given.name);
    const isKnown = user !== undefined && user.password === given?.password;
    // A wrong password is refused even where none is needed, as the real servers do.
    if (!isKnown && (given !== undefined || !isPublic || isPush)) {
      exchange.response
        .writeHead(401, { 'www-authenticate': `Basic realm="${realm}"`, 'content-type': 'text/plain' })
        .end('Unauthorized\n');
      return undefined;
    }
    if (isPush && user?.mayPush !== true) {
      exchange.response.writeHead(403, { 'content-type': 'text/plain' }).end('User permission denied for writing.\n');
      return undefined;
    }
    return runBackend(exchange, folder, user?.name ?? '');
  }, options);
  return {
    ...double,
    setPassword(name, password) {
      known.set(name, { ...known.get(name), name, password });
    },
  };
}

/** Settings of the user of this machine must not matter here. */
const SETTINGS = [
  ['http.receivepack', 'true'],
  ['safe.directory', '*'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
] as const;

function environment(exchange: Exchange, folder: string, user: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: exchange.path,
    QUERY_STRING: exchange.query.toString(),
    REQUEST_METHOD: exchange.method,
    CONTENT_TYPE: exchange.header('content-type'),
    CONTENT_LENGTH: exchange.header('content-length'),
    GIT_PROTOCOL: exchange.header('git-protocol'),
    HTTP_CONTENT_ENCODING: exchange.header('content-encoding'),
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: user,
    GIT_COMMITTER_NAME: user,
    GIT_COMMITTER_EMAIL: `${user}@example.com`,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(SETTINGS.length),
    ...Object.fromEntries(
      SETTINGS.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/**
 * Answers what the program prints, which is a CGI answer: headers with the status among them, an empty line, the body.
 */
function runBackend(exchange: Exchange, folder: string, user: string): Promise<void> {
  const { request, response } = exchange;
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['http-backend'], {
      env: environment(exchange, folder, user),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.once('error', reject);
    // It ends before it has read everything where it refuses.
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    response.once('close', () => {
      child.kill();
    });
    let head: Buffer | undefined = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      if (head === undefined) {
        response.write(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      for (const line of head.toString('latin1', 0, end).split('\r\n')) {
        const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.write(head.subarray(end + 4));
      head = undefined;
    });
    child.once('close', () => {
      if (head !== undefined) response.statusCode = 500;
      response.end();
      resolve();
    });
  });
}
