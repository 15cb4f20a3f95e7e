/** A Kubernetes API server for tests, inside this process: what envtest is for Go, but without etcd and binaries. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, basename } from 'node:path';
import { startApiServer as start } from '../apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../cluster/index.js';
import { installCrds, readCrds } from '../control/index.js';
import { Fault } from '../model/faults/index.js';
import { objectAt, objectsAt, textAt, type JsonObject } from '../model/json/index.js';
import { NO_LOG, plainLogger } from '../model/logging/index.js';
import { splitApiVersion, type KubeObject } from '../model/kubernetes/index.js';
import type { ResourceRef } from '../model/resources/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import { toKubeObject } from './to-object.js';
import type { KubernetesObject } from './types.js';

export type { ArgosyError, KubernetesObject } from './types.js';

export interface ApiServerOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** Where objects and certificates are kept; by default a temporary folder, which `stop` removes. */
  readonly data?: string;
  /**
   * Whether the controllers of Kubernetes run: Deployments get pods, pods are simulated until they are Ready, Jobs
   * complete, owners are garbage collected. True by default; with false, objects stay as they are written, as in
   * envtest.
   */
  readonly controllers?: boolean;
  /** CustomResourceDefinitions to install: objects, or paths of YAML files or of folders of them. */
  readonly crds?: readonly (string | object)[];
  /** Objects to apply once the server is up. */
  readonly objects?: readonly object[];
  /** Takes lines that an operator would want to see; dropped by default. */
  readonly log?: (line: string) => void;
}

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** A running server, on 127.0.0.1. */
export interface TestApiServer {
  /** Such as `https://127.0.0.1:40123`. */
  readonly url: string;
  /** Path of a kubeconfig with the rights of an administrator. */
  readonly kubeconfig: string;
  /** The same as PEM texts, for `https.request` or any other client. */
  readonly credentials: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Server-side apply, in order; waits until a CustomResourceDefinition is served. Gives the objects as stored. */
  apply(...objects: object[]): Promise<KubernetesObject[]>;
  /** An object as it is now; undefined if there is none. */
  get(reference: ObjectReference): Promise<KubernetesObject | undefined>;
  /** Stops the server. */
  stop(): Promise<void>;
}

/** Starts a server and resolves when it answers. Start as many as you like: each has a port and a store of its own. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<TestApiServer> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), 'argosy-apiserver-')));
  const remove = async (): Promise<void> => {
    if (options.data === undefined) await rm(data, { recursive: true, force: true });
  };
  try {
    const { port = 0, controllers = true, log } = options;
    const server = await start({ data, port, controllers, log: log === undefined ? NO_LOG : plainLogger(log) });
    const client = new TestClient(await open(server.kubeconfig));
    const stop = async (): Promise<void> => {
      await client.cluster.close();
      await server.close();
      await remove();
    };
    try {
      for (const crd of options.crds ?? []) await client.install(await crdsOf(crd));
      await client.apply(options.objects ?? []);
      return {
        url: server.url,
        kubeconfig: server.kubeconfig,
        credentials: credentialsOf(await readFile(server.kubeconfig, 'utf8')),
        apply: (...objects) => client.apply(objects),
        get: (reference) => client.get(reference),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

async function open(path: string): Promise<Cluster> {
  const config = await loadKubeconfig({ path, environment: {}, defaultPath: path });
  const dependencies = { clock: systemClock, random: Math.random, report: () => undefined };
  return connect(config, dependencies, { version: 'library', environment: {} });
}

async function crdsOf(given: string | object): Promise<KubeObject[]> {
  if (typeof given !== 'string') return [toKubeObject(given)];
  return (await stat(given)).isDirectory() ? readCrds(given) : readCrds(dirname(given), [basename(given)]);
}

function credentialsOf(kubeconfig: string): TestApiServer['credentials'] {
  const config = readOneYaml(kubeconfig, { dialect: 'kubernetes', file: 'kubeconfig' }) as JsonObject;
  const [cluster, user] = [objectsAt(config, 'clusters')[0], objectsAt(config, 'users')[0]];
  const pem = (object: JsonObject | undefined, field: string): string =>
    Buffer.from(textAt(object ?? {}, field), 'base64').toString();
  const identity = objectAt(user ?? {}, 'user');
  return {
    ca: pem(objectAt(cluster ?? {}, 'cluster'), 'certificate-authority-data'),
    cert: pem(identity, 'client-certificate-data'),
    key: pem(identity, 'client-key-data'),
  };
}

/** Finds out under which paths kinds are served; a kind that is not known yet may be new. */
class TestClient {
  #kinds: readonly ResourceRef[] = [];

  constructor(readonly cluster: Cluster) {}

  async install(crds: readonly KubeObject[]): Promise<void> {
    await installCrds(this.cluster, crds);
  }

  async apply(objects: readonly object[]): Promise<KubernetesObject[]> {
    const stored: KubernetesObject[] = [];
    for (const object of objects.map(toKubeObject)) {
      const kind = await this.#kindOf(object);
      const namespace = kind.namespaced ? { namespace: object.metadata.namespace ?? 'default' } : {};
      const placed = { ...object, metadata: { ...object.metadata, ...namespace } };
      stored.push(await this.cluster.apply(kind, placed, { force: true }));
      if (object.kind === 'CustomResourceDefinition') await installCrds(this.cluster, [object]);
    }
    return stored;
  }

  async get({ apiVersion, kind, namespace, name }: ObjectReference): Promise<KubernetesObject | undefined> {
    const found = await this.#kindOf({ apiVersion, kind });
    return this.cluster.get(found, { name, ...(found.namespaced ? { namespace: namespace ?? 'default' } : {}) });
  }

  async #kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Promise<ResourceRef> {
    const { group, version } = splitApiVersion(apiVersion);
    const find = (): ResourceRef | undefined =>
      this.#kinds.find((known) => known.group === group && known.kind === kind);
    if (find() === undefined) this.#kinds = (await this.cluster.discover()).kinds;
    const found = find();
    if (found === undefined) throw new Fault('VALUE_INVALID', `the server does not serve ${kind} of ${apiVersion}`);
    return { ...found, version };
  }
}
