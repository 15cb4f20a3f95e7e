import type { JsonObject } from '../../model/json/index.js';
import { count, items, maybe, number, text } from '../resources/index.js';
import type { RunningContainer } from './runtime.js';

/** When the probes of a running container change its life, in milliseconds of the clock; undefined: never. */
export interface ProbeTimes {
  /** The startup probe succeeds (at once without one). */
  readonly startedAt: number | undefined;
  readonly readyAt: number | undefined;
  /** The first readiness probe that fails. */
  readonly unreadyAt: number | undefined;
  /** A probe has failed so often that the container is killed. */
  readonly killedAt: number | undefined;
  readonly killedBy: 'startup' | 'liveness' | undefined;
}

interface Schedule {
  readonly delay: number;
  readonly period: number;
  readonly successes: number;
  readonly failures: number;
}

function scheduleOf(probe: JsonObject): Schedule {
  return {
    delay: count(probe, 'initialDelaySeconds') * 1000,
    period: (number(probe, 'periodSeconds') ?? 10) * 1000,
    successes: number(probe, 'successThreshold') ?? 1,
    failures: number(probe, 'failureThreshold') ?? 3,
  };
}

export function probeTimes(container: JsonObject, running: RunningContainer, start: number): ProbeTimes {
  const startup = startupTimes(container, running, start);
  if (startup.at === undefined)
    return {
      startedAt: undefined,
      readyAt: undefined,
      unreadyAt: undefined,
      killedAt: startup.killedAt,
      killedBy: 'startup',
    };
  const readiness = maybe(container, 'readinessProbe');
  const from = readiness ? from0(scheduleOf(readiness), start, startup.at) : startup.at;
  const turns = start + running.changesAt('readiness');
  const first = readiness ? tickAt(scheduleOf(readiness), from, turns) : startup.at;
  const killedAt = livenessKill(container, running, start, startup.at);
  return {
    startedAt: startup.at,
    readyAt:
      readiness && first !== undefined
        ? first + (scheduleOf(readiness).successes - 1) * scheduleOf(readiness).period
        : first,
    unreadyAt: readiness && (first === undefined || first > from) ? from : undefined,
    killedAt,
    killedBy: killedAt === undefined ? undefined : 'liveness',
  };
}

function startupTimes(
  container: JsonObject,
  running: RunningContainer,
  start: number,
): { at: number | undefined; killedAt: number | undefined } {
  const probe = maybe(container, 'startupProbe');
  if (!probe) return { at: start, killedAt: undefined };
  const schedule = scheduleOf(probe);
  const from = start + schedule.delay;
  const at = tickAt(schedule, from, start + running.changesAt('startup'));
  const killedAt = from + (schedule.failures - 1) * schedule.period;
  return at === undefined || at > killedAt ? { at: undefined, killedAt } : { at, killedAt: undefined };
}

/** Probes other than startup begin when it is over, and not before their own delay. */
function from0({ delay }: Schedule, start: number, started: number): number {
  return Math.max(start + delay, started);
}

/** The first probe at or after `turns`. */
function tickAt({ period }: Schedule, from: number, turns: number): number | undefined {
  if (!Number.isFinite(turns)) return undefined;
  return turns <= from ? from : from + Math.ceil((turns - from) / period) * period;
}

function livenessKill(
  container: JsonObject,
  running: RunningContainer,
  start: number,
  started: number,
): number | undefined {
  const probe = maybe(container, 'livenessProbe');
  if (!probe) return undefined;
  const schedule = scheduleOf(probe);
  const first = tickAt(schedule, from0(schedule, start, started), start + running.changesAt('liveness'));
  return first === undefined ? undefined : first + (schedule.failures - 1) * schedule.period;
}

/** What a probe of this form says when nobody is there to answer it. */
export function probeFailure(kind: 'Startup' | 'Readiness' | 'Liveness', container: JsonObject, podIp: string): string {
  const probe = maybe(container, `${kind.toLowerCase()}Probe`) ?? {};
  const start = `${kind} probe failed:`;
  const http = maybe(probe, 'httpGet');
  if (http) {
    const scheme = text(http, 'scheme') === 'HTTPS' ? 'https' : 'http';
    const address = `${text(http, 'host') || podIp}:${portNumber(http, container)}`;
    const path = text(http, 'path').replace(/^\/?/, '/');
    return `${start} Get "${scheme}://${address}${path}": dial tcp ${address}: connect: connection refused`;
  }
  const tcp = maybe(probe, 'tcpSocket');
  if (tcp) return `${start} dial tcp ${podIp}:${portNumber(tcp, container)}: connect: connection refused`;
  const grpc = maybe(probe, 'grpc');
  if (grpc) {
    const address = `${podIp}:${portNumber(grpc, container)}`;
    const seconds = number(probe, 'timeoutSeconds') ?? 1;
    return (
      `${start} timeout: failed to connect service "${address}" within ${seconds}s: connection error: desc = ` +
      `"transport: Error while dialing: dial tcp ${address}: connect: connection refused"`
    );
  }
  return `${start} `;
}

/** A port by name is that of the container. */
function portNumber(action: JsonObject, container: JsonObject): string {
  const name = text(action, 'port');
  if (name === '') return String(number(action, 'port') ?? '');
  const named = items(container, 'ports').find((port) => text(port, 'name') === name);
  return String(number(named ?? {}, 'containerPort') ?? name);
}
