import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/model/json/index.js';
import { draw } from '../../../world/fleet/draw.js';

export const TAKEN = '2026-11-16T12:00:00Z';
export const SINCE = '2026-11-15T09:30:00Z';
export const CREATED = '2026-09-01T08:00:00Z';

/**
 * What is broken in a component; every fault is the same for all that have it, so that few causes stand behind many
 * symptoms.
 */
export const FAULTS = ['store', 'tag', 'taint', 'class', 'memory'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FleetSize {
  readonly seed: number;
  readonly applications: number;
  /** Events come on top. */
  readonly objects: number;
  readonly namespaces: number;
  /** One component of so many is broken. */
  readonly oneBrokenIn: number;
}

/** One of the parts that an application is made of: a Deployment and what belongs to it. */
export interface Component {
  readonly name: string;
  readonly namespace: string;
  readonly application: string;
  readonly replicas: number;
  readonly fault: Fault | undefined;
  readonly hasClaim: boolean;
  /** The nodes that its pods are on, by number. */
  readonly node: number;
}

export interface FleetApplication {
  readonly name: string;
  readonly namespace: string;
  readonly components: readonly Component[];
  /** Its revision does not exist. */
  readonly isLost: boolean;
}

/**
 * Deployment, two ReplicaSets, Service, EndpointSlice, ConfigMap, Secret, ExternalSecret, ServiceAccount and the pods.
 */
const BESIDE_PODS = 9;
const REPLICAS = 3;
const LOST = 40;

export const nodesOf = ({ objects }: FleetSize): number => Math.max(6, Math.ceil(objects / 250));

/** The whole fleet of a size, the same for the same seed. */
export function fleetOf(size: FleetSize): FleetApplication[] {
  const inApplications = size.objects - nodesOf(size) - size.namespaces - size.applications;
  const components = Math.max(size.applications, Math.round(inApplications / (BESIDE_PODS + REPLICAS + 0.25)));
  return Array.from({ length: size.applications }, (_, index) => {
    const name = `app-${index}`;
    const namespace = `team-${index % size.namespaces}`;
    const [from, to] = [index, index + 1].map((at) => Math.floor((components * at) / size.applications));
    return {
      name,
      namespace,
      isLost: draw(size.seed, name, 'lost') < 1 / LOST,
      components: Array.from({ length: (to ?? 0) - (from ?? 0) }, (_each, part) =>
        componentOf(
          size,
          `${name}-${PARTS[part % PARTS.length] ?? ''}${part < PARTS.length ? '' : Math.floor(part / PARTS.length)}`,
          name,
          namespace,
        ),
      ),
    };
  });
}

const PARTS = ['web', 'api', 'worker', 'cache', 'db', 'auth', 'mail', 'jobs'];

function componentOf(size: FleetSize, name: string, application: string, namespace: string): Component {
  const isBroken = draw(size.seed, name, 'broken') < 1 / size.oneBrokenIn;
  const fault = isBroken ? FAULTS[Math.floor(draw(size.seed, name, 'fault') * FAULTS.length)] : undefined;
  return {
    name,
    namespace,
    application,
    replicas: REPLICAS,
    fault,
    hasClaim: fault === 'class' || draw(size.seed, name, 'claim') < 0.125,
    node: Math.floor(draw(size.seed, name, 'node') * nodesOf(size)),
  };
}

export const short = (text: string, length = 10): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

export function uidOf(kind: string, namespace: string, name: string): string {
  const hex = short(`${kind}/${namespace}/${name}`, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Metadata as a server writes it. */
export function metaOf(kind: string, namespace: string, name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    ...(namespace === '' ? {} : { namespace }),
    uid: uidOf(kind, namespace, name),
    resourceVersion: String(1_000_000 + Number.parseInt(short(`${kind}${namespace}${name}`, 6), 16)),
    generation: 3,
    creationTimestamp: CREATED,
    ...more,
  };
}
