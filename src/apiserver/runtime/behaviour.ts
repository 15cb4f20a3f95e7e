import { Fault } from '../../model/faults/index.js';
import { isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { parseDuration } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { maybe, text } from '../resources/index.js';
import type { AwaitedObject } from './awaited-object.js';
import type { ContainerRole } from './runtime.js';

/**
 * How a simulated container behaves. Pods say it in the annotation `argosy.dev/simulate`, a JSON object by container
 * name (`*` for all):
 *
 *     argosy.dev/simulate: '{"app": {"exitCode": 1, "after": "5s", "times": 3, "log": ["no route to database"]}}'
 */
export interface Behaviour {
  /** Milliseconds after which it ends by itself; undefined: never. */
  readonly after: number | undefined;
  readonly exitCode: number;
  /** Instead of Completed or Error: `OOMKilled`, `ContainerCannotRun`. */
  readonly reason: string | undefined;
  /** What it leaves as its termination message. */
  readonly message: string | undefined;
  /** Milliseconds after which its startup and readiness probes succeed; Infinity: never. */
  readonly ready: number;
  /** Milliseconds after which its liveness probe fails; Infinity: never. */
  readonly alive: number;
  /** Milliseconds it takes to end when asked to. */
  readonly stop: number;
  /** Lines that it writes, each so many milliseconds after it started. */
  readonly log: readonly SimulatedLine[];
  /** It ends well as soon as it can read this object with the account of its pod. */
  readonly waitsFor: AwaitedObject | undefined;
  /** Nobody says how it behaves. */
  readonly isUntold: boolean;
}

/**
 * In the annotation a text, or `{"after": "2s", "text": "..."}`; `$(NAME)` is the value of a variable of the container.
 */
export interface SimulatedLine {
  readonly after: number;
  readonly text: string;
}

export const SIMULATE = 'argosy.dev/simulate';

/** Milliseconds between a pod's arrival on a node and the start of its first container, and to fetch an image. */
export const SANDBOX_DELAY = 200;
export const PULL_DELAY = 300;
/** A run-to-completion container ends well after this long. */
const RUN_DELAY = 1000;

const KNOWN = ['after', 'exitCode', 'reason', 'message', 'times', 'ready', 'alive', 'stop', 'log', 'waitsFor'];
/** How often a container asks for what it waits for. */
const DEFAULT_POLL_INTERVAL = 30_000;

/** What containers do by default: init containers and those of run-to-completion pods end well, others run on. */
function defaults(role: ContainerRole, restartPolicy: string): Behaviour {
  const ends = role === 'init' || (role === 'app' && restartPolicy !== 'Always');
  return {
    after: ends ? RUN_DELAY : undefined,
    exitCode: 0,
    reason: undefined,
    message: undefined,
    ready: 0,
    alive: Infinity,
    stop: 0,
    log: [],
    waitsFor: undefined,
    isUntold: true,
  };
}

/** The behaviour of one run of a container; `attempt` counts from 0. Throws a Fault where the annotation is wrong. */
export function behaviourOf(pod: KubeObject, container: string, role: ContainerRole, attempt: number): Behaviour {
  const base = defaults(role, text(maybe(pod, 'spec'), 'restartPolicy'));
  const simulation = simulationOf(pod);
  const entry = simulation && (own(simulation, container) ?? own(simulation, '*'));
  if (entry === undefined) return base;
  if (!isObject(entry)) throw wrong(container, 'must be an object');
  const unknown = Object.keys(entry).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) throw wrong(`${container}.${unknown}`, `is not known; known are ${KNOWN.join(', ')}`);
  // After so many runs the container is well.
  if (typeof entry['times'] === 'number' && attempt >= entry['times']) return { ...base, isUntold: false };
  const waitsFor = awaitedAt(entry, container);
  return {
    after: waitsFor && entry['after'] === undefined ? undefined : runTime(entry, container, base.after),
    exitCode: optionalNumber(entry, 'exitCode', container) ?? (waitsFor ? 1 : 0),
    reason: optionalText(entry, 'reason', container),
    message: optionalText(entry, 'message', container),
    ready: changeTime(entry, 'ready', container, { whenFalse: Infinity, byDefault: 0 }),
    alive: changeTime(entry, 'alive', container, { whenFalse: 0, byDefault: Infinity }),
    stop: entry['stop'] === undefined ? base.stop : milliseconds(entry, 'stop', container),
    log: linesAt(entry, container),
    waitsFor,
    isUntold: false,
  };
}

/** Milliseconds that a run takes; undefined where it does not end. */
function runTime(entry: JsonObject, container: string, byDefault: number | undefined): number | undefined {
  if (entry['after'] !== undefined) return milliseconds(entry, 'after', container);
  return entry['exitCode'] === undefined ? byDefault : RUN_DELAY;
}

/** Milliseconds until a probe changes its result: `false` is never, a duration is that long. */
function changeTime(
  entry: JsonObject,
  key: 'ready' | 'alive',
  container: string,
  { whenFalse, byDefault }: { readonly whenFalse: number; readonly byDefault: number },
): number {
  const value = own(entry, key);
  if (value === false) return whenFalse;
  return typeof value === 'string' ? milliseconds(entry, key, container) : byDefault;
}

/** Why the annotation is of no use; undefined where it is fine or absent. */
export function simulationError(pod: KubeObject): string | undefined {
  try {
    for (const name of Object.keys(simulationOf(pod) ?? {})) behaviourOf(pod, name, 'app', 0);
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `annotation ${SIMULATE} is ignored: ${error.where === '' ? '' : `${error.where} `}${error.message}`;
  }
}

function simulationOf(pod: KubeObject): JsonObject | undefined {
  const annotation = pod.metadata.annotations?.[SIMULATE];
  if (annotation === undefined) return undefined;
  const value: Json = parseJson(annotation);
  if (!isObject(value)) throw wrong('', 'must be a JSON object by container name');
  return value;
}

function wrong(where: string, message: string): Fault {
  return new Fault('VALUE_INVALID', message, { where });
}

function milliseconds(entry: JsonObject, key: string, container: string): number {
  const value = own(entry, key);
  if (typeof value !== 'string') throw wrong(`${container}.${key}`, 'must be a duration such as "5s"');
  return Number(parseDuration(value) / 1_000_000n);
}

function optionalNumber(entry: JsonObject, key: string, container: string): number | undefined {
  const value = own(entry, key);
  if (value !== undefined && typeof value !== 'number') throw wrong(`${container}.${key}`, 'must be a number');
  return value;
}

function optionalText(entry: JsonObject, key: string, container: string): string | undefined {
  const value = own(entry, key);
  if (value !== undefined && typeof value !== 'string') throw wrong(`${container}.${key}`, 'must be a string');
  return value;
}

function linesAt(entry: JsonObject, container: string): SimulatedLine[] {
  const value = entry['log'] ?? [];
  if (!Array.isArray(value)) throw wrong(`${container}.log`, 'must be a list of lines');
  return value.map((line, index) => {
    if (typeof line === 'string') return { after: 0, text: line };
    const where = `${container}.log[${index}]`;
    if (!isObject(line) || typeof line['text'] !== 'string')
      throw wrong(where, 'must be a text, or an object with after and text');
    return { after: line['after'] === undefined ? 0 : milliseconds(line, 'after', where), text: line['text'] };
  });
}

function awaitedAt(entry: JsonObject, container: string): AwaitedObject | undefined {
  const value = own(entry, 'waitsFor');
  if (value === undefined) return undefined;
  const where = `${container}.waitsFor`;
  if (!isObject(value)) throw wrong(where, 'must be an object with group, resource and name');
  const unknown = Object.keys(value).find((key) => !['group', 'resource', 'namespace', 'name', 'every'].includes(key));
  if (unknown !== undefined)
    throw wrong(`${where}.${unknown}`, 'is not known; known are group, resource, namespace, name, every');
  const [resource, name] = [optionalText(value, 'resource', where), optionalText(value, 'name', where)];
  if (resource === undefined || name === undefined) throw wrong(where, 'must have resource and name');
  const every = value['every'] === undefined ? DEFAULT_POLL_INTERVAL : milliseconds(value, 'every', where);
  return {
    group: optionalText(value, 'group', where) ?? '',
    resource,
    namespace: optionalText(value, 'namespace', where),
    name,
    every,
  };
}
