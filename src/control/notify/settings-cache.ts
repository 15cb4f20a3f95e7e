import { isObject, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type ClientDependencies, type Cluster, WatchCache } from '../../cluster/index.js';
import { Secrets } from './secrets.js';
import { readNotifySettings, type NotifySettings } from './settings.js';
import { CONFIG_MAPS, SECRETS } from '../../model/resources/index.js';

const CONFIG_MAP = 'argocd-notifications-cm';
const SECRET = 'argocd-notifications-secret';
/** Milliseconds to wait for the first list; later results apply when they arrive. */
const SYNC_TIMEOUT = 10_000;

/** The ConfigMap and Secret of notifications; read again when one of them changes. */
export class NotifySettingsCache {
  readonly #map: WatchCache;
  readonly #secret: WatchCache;
  #settings: NotifySettings | undefined;

  constructor(
    cluster: Cluster,
    private readonly world: ClientDependencies,
    private readonly namespace: string,
    onChange: () => void,
  ) {
    this.#map = new WatchCache(cluster, CONFIG_MAPS, world, {
      namespace,
      fieldSelector: `metadata.name=${CONFIG_MAP}`,
    });
    this.#secret = new WatchCache(cluster, SECRETS, world, { namespace, fieldSelector: `metadata.name=${SECRET}` });
    for (const cache of [this.#map, this.#secret]) {
      cache.subscribe(() => {
        this.#settings = undefined;
        onChange();
      });
    }
  }

  get settings(): NotifySettings {
    return (this.#settings ??= settingsOf(
      this.#map.get(this.namespace, CONFIG_MAP),
      this.#secret.get(this.namespace, SECRET),
    ));
  }

  async waitForSync(): Promise<void> {
    let giveUp: () => void = () => undefined;
    const tooLong = new Promise<void>((resolve) => {
      giveUp = this.world.clock.after(SYNC_TIMEOUT, resolve);
    });
    await Promise.race([Promise.all([this.#map.waitForSync(), this.#secret.waitForSync()]), tooLong]);
    giveUp();
  }

  close(): void {
    this.#map.close();
    this.#secret.close();
  }
}

/** The current settings, for a single use. */
export async function loadNotifySettings(cluster: Cluster, namespace: string): Promise<NotifySettings> {
  const [map, secret] = await Promise.all([
    cluster.get(CONFIG_MAPS, { namespace, name: CONFIG_MAP }),
    cluster.get(SECRETS, { namespace, name: SECRET }),
  ]);
  return settingsOf(map, secret);
}

function settingsOf(map: KubeObject | undefined, secret: KubeObject | undefined): NotifySettings {
  const values = new Map(
    [...textsOf(secret)].map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]),
  );
  return readNotifySettings(textsOf(map), new Secrets(values));
}

function textsOf(object: KubeObject | undefined): ReadonlyMap<string, string> {
  const data = object?.data;
  if (!isObject(data)) return new Map();
  return new Map(
    Object.keys(data).flatMap((key) => {
      const value = own(data, key);
      return typeof value === 'string' ? [[key, value] as const] : [];
    }),
  );
}
