import { ClusterError, type ControlServices } from '../../control/index.js';
import { drop, own, objectAt, put, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { SECRETS } from '../../model/resources/index.js';

/** As in Argo CD. */
export const INITIAL_ADMIN_SECRET = 'argocd-initial-admin-secret';
/** The password is there, its hash not yet: whoever starts now goes on with the same one. */
const PENDING = 'argosy.dev/pending';
const MAX_ATTEMPTS = 10;

/**
 * The first password of admin in a Secret of its own, where no log has to show it. It is kept there before its hash is
 * stored, so a process that ends in between loses nothing, and replicas that start together agree on one password.
 */
export class InitialPassword {
  readonly #cluster: ControlServices['cluster'];
  readonly #namespace: string;

  constructor(cluster: ControlServices['cluster'], namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** The password to store the hash of: this one, or that of another replica. Undefined if a hash is stored already. */
  async keep(password: string, hasHash: () => Promise<boolean>): Promise<string | undefined> {
    for (let tried = 1; ; tried++) {
      const live = await this.#read();
      if (isPending(live)) return Buffer.from(textAt(live, 'data', 'password'), 'base64').toString('utf8');
      // After the Secret: its mark goes only once the hash is there.
      if (await hasHash()) return undefined;
      try {
        const next = pendingSecret(live, this.#namespace, password);
        await (live === undefined ? this.#cluster.create(SECRETS, next) : this.#cluster.update(SECRETS, next));
        return password;
      } catch (error) {
        if (!isRace(error) || tried >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** The hash is stored. */
  async settle(): Promise<void> {
    for (let tried = 1; ; tried++) {
      const live = await this.#read();
      if (live === undefined || !isPending(live)) return;
      const annotations = { ...live.metadata.annotations };
      drop(annotations, PENDING);
      try {
        await this.#cluster.update(SECRETS, { ...live, metadata: { ...live.metadata, annotations } });
        return;
      } catch (error) {
        if (!isRace(error) || tried >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  #read(): Promise<KubeObject | undefined> {
    return this.#cluster.get(SECRETS, { namespace: this.#namespace, name: INITIAL_ADMIN_SECRET });
  }
}

function isPending(secret: KubeObject | undefined): boolean {
  return own(secret?.metadata.annotations ?? {}, PENDING) === 'true';
}

function pendingSecret(live: KubeObject | undefined, namespace: string, password: string): KubeObject {
  const data = { ...objectAt(live, 'data') };
  put(data, 'password', Buffer.from(password).toString('base64'));
  const { metadata = { name: INITIAL_ADMIN_SECRET, namespace } } = live ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    ...live,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [PENDING]: 'true' } },
    data,
  };
}

function isRace(error: unknown): boolean {
  return error instanceof ClusterError && (error.isConflict || error.isAlreadyExists || error.isNotFound);
}
