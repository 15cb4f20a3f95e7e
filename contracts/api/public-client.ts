import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type JsonObject, isObject, objectsAt, textAt } from '../../src/model/json/index.js';

const CLIENT = 'argocd-mcp';
const VERSION = '0.9.0';

/**
 * A client of Argo CD's REST API that others wrote, installed once into the cache; undefined where the registry cannot
 * be reached.
 */
export function installClient(): string | undefined {
  const folder = join(homedir(), '.cache/argosy', `${CLIENT}-${VERSION}`);
  const program = join(folder, 'node_modules', CLIENT, 'dist/index.js');
  if (existsSync(program)) return program;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${CLIENT}@${VERSION}`],
      { cwd: folder, stdio: 'ignore', timeout: 120_000 },
    );
    return program;
  } catch {
    console.log(`skipped: ${CLIENT}@${VERSION} cannot be installed from the npm registry`);
    return undefined;
  }
}

/** The client as its users run it: it takes questions on stdin and asks the server that the environment names. */
export class Client {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: JsonObject) => void>();
  #next = 1;

  constructor(program: string, url: string, token: string) {
    this.#child = spawn(process.execPath, [program, 'stdio'], {
      env: { PATH: process.env['PATH'] ?? '', ARGOCD_BASE_URL: url, ARGOCD_API_TOKEN: token },
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as JsonObject;
      this.#waiting.get(Number(answer.id))?.(answer);
    });
  }

  request(method: string, params: object): Promise<JsonObject> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  /** What a tool of the client says, as JSON. */
  async call(name: string, args: object): Promise<JsonObject> {
    const { result } = await this.request('tools/call', { name, arguments: args });
    const text = isObject(result) ? textAt(objectsAt(result, 'content')[0] ?? {}, 'text') : '';
    if (!text.startsWith('{')) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as JsonObject;
  }

  close(): void {
    this.#child.kill();
  }
}
