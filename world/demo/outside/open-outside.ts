import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../../src/cluster/index.js';
import { isObject, own, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { openSources } from '../../../src/source/index.js';
import { startGitServer, type GitServer } from '../../doubles/index.js';
import { writeRepository } from '../../fleet/write-repository.js';
import { gitProbe, type Probe } from './git-probe.js';
import { REPOSITORIES } from './repositories.js';
import { SOURCE_ENVIRONMENT } from './source-environment.js';
import { NAMESPACES, SECRETS } from '../../../src/model/resources/index.js';

export interface OutsideOptions {
  /** A folder of its own below the data directory. */
  readonly folder: string;
  readonly report: (line: string) => void;
}

/**
 * What lies outside of the cluster: the functions that stages may ask, and a git server with the repositories of the
 * stories.
 */
export interface Outside {
  readonly probes: Readonly<Record<string, Probe>>;
  /** Where its git servers listen. */
  readonly places: readonly { readonly host: string; readonly port: number }[];
  /** Of a repository, by the name by which stories know it. */
  addressOf(key: string): string;
  /** Says in the cluster where the outside is: the Secret `outside` in the namespace `argosy-world`. */
  publishAddresses(cluster: Cluster): Promise<void>;
  close(): Promise<void>;
}

const USER = 'gitea-admin';

export async function openOutside({ folder, report }: OutsideOptions): Promise<Outside> {
  const repositories = join(folder, 'repositories');
  for (const [name, commits] of Object.values(REPOSITORIES))
    if (!existsSync(join(repositories, name))) writeRepository(join(repositories, name), commits);
  const sources = await openSources({ data: folder, ...SOURCE_ENVIRONMENT, report });
  const demo = await startDemoServer(folder);
  const git = await startGitServer({
    folder: repositories,
    users: [{ name: USER, password: randomBytes(12).toString('hex') }],
    report: () => undefined,
  });
  return {
    probes: { git: gitProbe(sources) },
    places: [git.url, demo.url].map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) })),
    addressOf: (key) => addresses(git.url)[key] ?? '',
    async publishAddresses(cluster) {
      const password = (await knownPassword(cluster)) ?? randomBytes(12).toString('hex');
      git.setPassword(USER, password);
      await cluster.apply(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OUTSIDE.namespace } });
      await cluster.apply(
        SECRETS,
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: OUTSIDE,
          stringData: {
            ...addresses(git.url),
            demoRepository: `${demo.url}/platform/.git`,
            gitUser: USER,
            gitPassword: password,
          },
        },
        { force: true },
      );
    },
    async close() {
      await Promise.all([git.close(), demo.close()]);
      await sources.close();
    },
  };
}

/**
 * Repositories that everybody may read. Objects name its address, so it has the port of the last time; where somebody
 * else took that, another one.
 */
async function startDemoServer(folder: string): Promise<GitServer> {
  const [served, note] = [join(folder, 'git'), join(folder, 'git-port')];
  mkdirSync(served, { recursive: true });
  const known = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0;
  const start = (port: number): Promise<GitServer> =>
    startGitServer({ folder: served, users: [], isPublic: true, port });
  const server = await start(Number.isInteger(known) && known > 0 && known < 65_536 ? known : 0).catch(() => start(0));
  writeFileSync(note, new URL(server.url).port);
  return server;
}

const OUTSIDE = { namespace: 'argosy-world', name: 'outside' };

/** Everything of the Secret, in plain text; nothing where nobody told. */
export async function readOutside(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  const data = dataOf(await cluster.get(SECRETS, OUTSIDE));
  return new Map(Object.keys(data).map((key) => [key, Buffer.from(String(own(data, key)), 'base64').toString('utf8')]));
}

function dataOf(secret: KubeObject | undefined): JsonObject {
  return isObject(secret?.data) ? secret.data : {};
}

/** Objects of earlier runs hold it, so it stays. */
async function knownPassword(cluster: Cluster): Promise<string | undefined> {
  return (await readOutside(cluster)).get('gitPassword');
}

/** The address of each repository under the name by which stories know it. */
function addresses(url: string): Record<string, string> {
  return Object.fromEntries(Object.entries(REPOSITORIES).map(([key, [name]]) => [key, `${url}/${name}`]));
}
