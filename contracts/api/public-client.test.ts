import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isObject, listAt, textAt, type JsonObject } from '../../src/model/index.js';
import { ApiLab } from './api-lab.js';
import { WEB, webApplication } from './web-manifests.js';

const CLIENT = 'argocd-mcp';
const VERSION = '0.9.0';

/** A client of Argo CD's REST API that others wrote, installed once into the cache; undefined where the registry cannot be reached. */
function installClient(): string | undefined {
  const folder = join(homedir(), '.cache/argosy', `${CLIENT}-${VERSION}`);
  const program = join(folder, 'node_modules', CLIENT, 'dist/index.js');
  if (existsSync(program)) return program;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${CLIENT}@${VERSION}`], { cwd: folder, stdio: 'ignore', timeout: 120_000 });
    return program;
  } catch {
    console.log(`skipped: ${CLIENT}@${VERSION} cannot be installed from the npm registry`);
    return undefined;
  }
}

/** The client as its users run it: it takes questions on stdin and asks the server that the environment names. */
class Client {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: JsonObject) => void>();
  #next = 1;

  constructor(program: string, url: string, token: string) {
    this.#child = spawn(process.execPath, [program, 'stdio'], { env: { PATH: process.env['PATH'] ?? '', ARGOCD_BASE_URL: url, ARGOCD_API_TOKEN: token } });
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
    const text = isObject(result) ? textAt(listAt(result, 'content')[0] ?? {}, 'text') : '';
    if (!text.startsWith('{')) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as JsonObject;
  }

  close(): void {
    this.#child.kill();
  }
}

const program = installClient();
let lab: ApiLab;
let client: Client;

beforeAll(async () => {
  if (program === undefined) return;
  lab = await ApiLab.open();
  lab.commit({ 'web/all.yaml': WEB });
  client = new Client(program, lab.url, lab.token);
  await client.request('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'contract', version: '1' } });
});

afterAll(async () => {
  if (program === undefined) return;
  client.close();
  await lab.close();
});

it.skipIf(program === undefined)('a client that others wrote creates, lists, reads and syncs an application unchanged', async () => {
  await lab.ask('/api/v1/applications', { method: 'POST', body: webApplication(lab.repository) });
  const listed = await client.call('list_applications', {});
  expect(listAt(listed, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['web']);
  expect(textAt(await client.call('get_application', { applicationName: 'web', applicationNamespace: 'argocd' }), 'metadata', 'name')).toBe('web');
  const asked = await client.call('sync_application', { applicationName: 'web', applicationNamespace: 'argocd', prune: true });
  expect(isObject(asked.operation)).toBe(true);
  for (let isSynced = false; !isSynced; isSynced = textAt((await lab.ask('/api/v1/applications/web')).body, 'status', 'sync', 'status') === 'Synced') await new Promise((resolve) => setTimeout(resolve, 100));
  const tree = await client.call('get_application_resource_tree', { applicationName: 'web', applicationNamespace: 'argocd' });
  expect(listAt(tree, 'nodes').map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Deployment', 'ReplicaSet', 'Pod', 'Service', 'Secret']));
  expect(listAt(await client.call('get_application_managed_resources', { applicationName: 'web', applicationNamespace: 'argocd' }), 'items')).toHaveLength(3);
  expect(listAt(await client.call('get_application_events', { applicationName: 'web', applicationNamespace: 'argocd' }), 'items').length).toBeGreaterThan(0);
});
