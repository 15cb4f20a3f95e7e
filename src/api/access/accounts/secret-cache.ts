import { ClusterError, type ControlServices } from '../../../control/index.js';
import { isObject, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { SECRETS } from '../../../model/resources/index.js';

/** The Secret of Argo CD that has the certificate of the server. */
export const SERVER_TLS_SECRET = 'argocd-server-tls';

const PART_OF = { 'app.kubernetes.io/part-of': 'argocd' } as const;
const MAX_ATTEMPTS = 8;

type WatchedSecrets = ReturnType<ControlServices['watch']>;

/** What the cache needs of the control plane. */
export type SecretSource = Pick<ControlServices, 'cluster' | 'namespace' | 'watch'>;

/**
 * Secrets of the control plane as they are now: those by name that Argosy writes, and all that carry Argo CD's label.
 */
export class SecretCache {
  readonly #source: SecretSource;
  readonly #named = new Map<string, WatchedSecrets>();
  readonly #labelled: WatchedSecrets;

  private constructor(source: SecretSource, names: readonly string[]) {
    this.#source = source;
    for (const name of names)
      this.#named.set(
        name,
        source.watch(SECRETS, { namespace: source.namespace, fieldSelector: `metadata.name=${name}` }),
      );
    this.#labelled = source.watch(SECRETS, {
      namespace: source.namespace,
      labelSelector: 'app.kubernetes.io/part-of=argocd',
    });
  }

  static async open(source: SecretSource, names: readonly string[]): Promise<SecretCache> {
    const secrets = new SecretCache(source, names);
    await Promise.all(secrets.#all.map((cache) => cache.waitForSync()));
    return secrets;
  }

  /** The data of a Secret, decoded; empty where there is none. */
  data(name: string): ReadonlyMap<string, string> {
    const cache = this.#named.get(name) ?? this.#labelled;
    return decoded(cache.get(this.#source.namespace, name));
  }

  /** The data of a Secret as the server has it now. */
  async read(name: string): Promise<ReadonlyMap<string, string>> {
    const { cluster, namespace } = this.#source;
    return decoded(await cluster.get(SECRETS, { namespace, name }));
  }

  /** One value as it is, for keys that are no text. */
  bytes(name: string, key: string): Buffer | undefined {
    const data = (this.#named.get(name) ?? this.#labelled).get(this.#source.namespace, name)?.data;
    const value = isObject(data) ? own(data, key) : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  }

  onChange(listener: () => void): void {
    for (const cache of this.#all) cache.subscribe(listener);
  }

  /**
   * Changes keys of a Secret, and makes it where it is missing. `change` sees what is there and says what shall be,
   * undefined for keys that go; it is asked again where somebody else wrote meanwhile.
   */
  async change(
    name: string,
    change: (data: ReadonlyMap<string, string>) => ReadonlyMap<string, string | undefined>,
  ): Promise<void> {
    const { cluster, namespace } = this.#source;
    for (let tried = 1; ; tried++) {
      const live = await cluster.get(SECRETS, { namespace, name });
      const changes = change(decoded(live));
      if (changes.size === 0) return;
      const next = withData(
        live ?? { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels: PART_OF }, type: 'Opaque' },
        changes,
      );
      try {
        this.#named
          .get(name)
          ?.recordWrite(await (live === undefined ? cluster.create(SECRETS, next) : cluster.update(SECRETS, next)));
        return;
      } catch (error) {
        const isRace = error instanceof ClusterError && (error.isConflict || error.isAlreadyExists || error.isNotFound);
        if (!isRace || tried >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  close(): void {
    for (const cache of this.#all) cache.close();
  }

  get #all(): readonly WatchedSecrets[] {
    return [...this.#named.values(), this.#labelled];
  }
}

function withData(secret: KubeObject, changes: ReadonlyMap<string, string | undefined>): KubeObject {
  const data: JsonObject = isObject(secret.data) ? { ...secret.data } : {};
  for (const [key, value] of changes)
    put(data, key, value === undefined ? undefined : Buffer.from(value).toString('base64'));
  return { ...secret, data };
}

function decoded(secret: KubeObject | undefined): ReadonlyMap<string, string> {
  const data = isObject(secret?.data) ? secret.data : {};
  return new Map(
    Object.keys(data).flatMap((key) => {
      const value = own(data, key);
      return typeof value === 'string' ? [[key, Buffer.from(value, 'base64').toString()] as const] : [];
    }),
  );
}
