import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { objectIn } from './application.js';
import type { Lab } from './lab.js';
import type { Files, TestRepository } from './repository.js';
import { CONFIG_MAPS, DEPLOYMENTS, SERVICES } from '../../src/model/resources/index.js';

const WAVE = 'argocd.argoproj.io/sync-wave';
const LIVE_KINDS = { ConfigMap: CONFIG_MAPS, Service: SERVICES, Deployment: DEPLOYMENTS };

/**
 * Five objects in two waves. The Service of the first wave is Healthy when the test gives it an address, and not
 * before: so the second wave, and the health of the whole, wait for the test.
 */
export function simpleObjects(version: number): JsonObject[] {
  const meta = (name: string, wave: number): JsonObject => ({ name, annotations: { [WAVE]: String(wave) } });
  const labels = { app: 'web' };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('first', 0), data: { version: String(version) } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('steady', 0), data: { text: 'never changes' } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta('web', 0),
      spec: { type: 'LoadBalancer', selector: labels, ports: [{ name: 'http', port: 80 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta('web', 1),
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: `web:${version}` }] } },
      },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('last', 1), data: { version: String(version) } },
  ];
}

export function simpleFiles(path: string, version: number): Files {
  return Object.fromEntries(
    simpleObjects(version).map((object, index) => [`${path}/${index}.yaml`, `${writeJson(object)}\n`]),
  );
}

/** Which version each commit has, so that a status can be checked against what it claims. */
export class Versions {
  readonly #versions = new Map<string, number>();
  newest = 0;

  constructor(
    readonly repository: TestRepository,
    readonly path: string,
  ) {}

  commit(): string {
    const revision = this.repository.commit(simpleFiles(this.path, ++this.newest));
    this.#versions.set(revision, this.newest);
    return revision;
  }

  of(revision: string): number | undefined {
    return this.#versions.get(revision);
  }
}

/** What is not live as some version from `oldest` to `newest` says. */
export async function notLive(lab: Lab, namespace: string, oldest: number, newest: number): Promise<string[]> {
  const wrong: string[] = [];
  const live = await liveObjects(lab, namespace);
  for (const [index, wanted] of simpleObjects(oldest).entries()) {
    const metadata = objectIn(wanted, 'metadata');
    const name = `${String(wanted.kind)}/${String(metadata.name)}`;
    const object = live.get(name);
    const versions = Array.from({ length: newest - oldest + 1 }, (_, step) => simpleObjects(oldest + step)[index]);
    if (object === undefined) wrong.push(`${name} is not there`);
    else if (!versions.some((version) => version !== undefined && contains(object, version)))
      wrong.push(`${name} is not as in git`);
  }
  return wrong;
}

async function liveObjects(lab: Lab, namespace: string): Promise<Map<string, KubeObject>> {
  const lists = await Promise.all(
    Object.values(LIVE_KINDS).map(async (kind) => (await lab.cluster.list(kind, { namespace })).items),
  );
  return new Map(lists.flat().map((object) => [`${object.kind}/${object.metadata.name ?? ''}`, object]));
}

/** Whether everything that one value says, the other says too. */
export function contains(live: Json, wanted: Json): boolean {
  if (isObject(wanted))
    return (
      isObject(live) &&
      Object.entries(wanted).every(([key, value]) => {
        const of = own(live, key);
        return of !== undefined && contains(of, value ?? null);
      })
    );
  if (isArray(wanted))
    return (
      isArray(live) &&
      live.length === wanted.length &&
      wanted.every((value, index) => contains(live[index] ?? null, value))
    );
  return live === wanted;
}

export async function giveAddress(lab: Lab, namespace: string): Promise<void> {
  await lab.cluster.patch(
    SERVICES,
    { namespace, name: 'web' },
    { type: 'merge', body: { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } } },
    { subresource: 'status' },
  );
}

export async function hasAddress(lab: Lab, namespace: string): Promise<boolean> {
  const service = await lab.cluster.get(SERVICES, { namespace, name: 'web' });
  return own(objectIn(objectIn(service, 'status'), 'loadBalancer'), 'ingress') !== undefined;
}
