import { type JsonObject, isObject, numberAt, objectsAt, own } from '../../model/json/index.js';
import { keyOf, keyText, splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';
import { ownersOfLogs, type LooseLog } from './loose-logs.js';
import { measuredByServer } from './metrics-server.js';
import { SeriesStore } from './series-store.js';
import {
  type AlertFact,
  type EventFact,
  type HostServiceFact,
  type Listing,
  type ListingFact,
  type LogFact,
  type Sample,
  type Snapshot,
  sanitizeObject,
} from '../snapshot/index.js';

const MAX_LOG_LINES = 500;
const MAX_LINE = 2_000;

/** Collects everything read into one snapshot, independent of the order. */
export class SnapshotBuilder {
  readonly #objects = new Map<string, KubeObject>();
  readonly #events = new Map<string, EventFact>();
  readonly #logs = new Map<string, LogFact>();
  readonly #looseLogs: LooseLog[] = [];
  readonly #listings = new Map<string, ListingFact>();
  readonly #series = new SeriesStore();
  readonly #alerts = new Map<string, AlertFact & { readonly ends: number | undefined }>();
  readonly #hostServices = new Map<string, HostServiceFact>();
  readonly #problems = new Set<string>();
  #latest: number | undefined;
  #isPartial = false;

  get size(): number {
    return this.#objects.size + this.#events.size;
  }

  /** Whether something was read of what monitoring or an operating system tells. */
  get hasMeasures(): boolean {
    return this.#series.size + this.#alerts.size + this.#hostServices.size > 0;
  }

  /** Logs are useful only with their pods. */
  get hasLogsOnly(): boolean {
    return this.size === 0 && this.#looseLogs.length > 0;
  }

  /** The latest time in anything read so far: when the dump was taken, or shortly before. */
  get latest(): number | undefined {
    const measured = this.#series.latest;
    return measured > (this.#latest ?? 0) ? measured : this.#latest;
  }

  /** Takes any value of a dump; `where` is reported if it is not an object. */
  add(value: unknown, where: string): void {
    if (!isKubeObject(value)) {
      this.problem(`${where}: not a Kubernetes object (apiVersion, kind or name missing)`);
      return;
    }
    const measured = measuredByServer(value);
    if (measured !== undefined) for (const each of measured) this.addSeries(each.name, each.labels, each.samples);
    else if (value.kind === 'Event') this.#addEvent(value);
    else this.#addObject(value);
  }

  addEvent(event: EventFact): void {
    if (event.time !== undefined && event.time > (this.#latest ?? 0)) this.#latest = event.time;
    this.#events.set(
      JSON.stringify([keyText(event.about), event.reason, event.message, event.time, event.source]),
      event,
    );
  }

  addLog(log: LogFact): void {
    const lines = log.lines
      .slice(-MAX_LOG_LINES)
      .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line));
    this.#logs.set([log.namespace, log.pod, log.container, log.previous].join('/'), { ...log, lines });
  }

  addSeries(name: string, labels: Readonly<Record<string, string>>, samples: readonly Sample[]): void {
    this.#series.add(name, labels, samples);
  }

  addAlert(alert: AlertFact & { readonly ends: number | undefined }): void {
    this.#alerts.set(JSON.stringify([alert.name, Object.entries(alert.labels).sort()]), alert);
  }

  addHostService(fact: HostServiceFact): void {
    this.#hostServices.set(`${fact.node}/${fact.unit}`, fact);
  }

  /** The moment at which something was printed. */
  sawTime(time: number): void {
    if (time > (this.#latest ?? 0)) this.#latest = time;
  }

  /** A log whose pod is found by its name once all pods are known. */
  addLooseLog(log: LooseLog): void {
    this.#looseLogs.push({ path: log.path, lines: log.lines.slice(-MAX_LOG_LINES) });
  }

  listing(fact: ListingFact): void {
    const key = [fact.group, fact.kind, fact.namespace].join('/');
    const before = this.#listings.get(key);
    if (before === undefined || ORDER.indexOf(fact.listing) < ORDER.indexOf(before.listing))
      this.#listings.set(key, fact);
  }

  problem(text: string): void {
    this.#problems.add(text);
  }

  /** A problem that may hide a cause. */
  loss(text: string): void {
    this.#isPartial = true;
    this.problem(text);
  }

  /** `time` is used if the snapshot does not contain its own time. */
  build(time: number): Snapshot {
    for (const log of ownersOfLogs(
      [...this.#looseLogs].sort((a, b) => (a.path < b.path ? -1 : 1)),
      this.#objects.values(),
    ))
      this.addLog(log);
    const sorted = <T>(map: ReadonlyMap<string, T>): T[] =>
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    return {
      time,
      objects: sorted(this.#objects),
      events: sorted(this.#events),
      logs: sorted(this.#logs),
      listings: sorted(this.#listings),
      ...this.#measured(time, sorted),
      problems: [...this.#problems].sort(),
      ...(this.#isPartial ? { isPartial: true } : {}),
    };
  }

  #measured(
    time: number,
    sorted: <T>(map: ReadonlyMap<string, T>) => T[],
  ): Pick<Snapshot, 'series' | 'alerts' | 'hostServices'> {
    const series = this.#series.all();
    const alerts = sorted(this.#alerts).flatMap(({ ends, ...alert }) =>
      ends !== undefined && ends < time ? [] : [alert],
    );
    const hostServices = sorted(this.#hostServices);
    return {
      ...(series.length === 0 ? {} : { series }),
      ...(alerts.length === 0 ? {} : { alerts }),
      ...(hostServices.length === 0 ? {} : { hostServices }),
    };
  }

  /** Of two states of one object the newer one stays; which is newer does not depend on the order of reading. */
  #addObject(given: KubeObject): void {
    const object = sanitizeObject(given);
    const id = keyText(keyOf(object));
    const before = this.#objects.get(id);
    if (before !== undefined && !isNewer(object, before)) return;
    this.#objects.set(id, object);
    this.#saw(textAt(object, 'metadata', 'creationTimestamp'));
    this.#saw(textAt(object, 'status', 'reconciledAt'));
    for (const condition of objectsAt(object, 'status', 'conditions')) {
      this.#saw(textAt(condition, 'lastTransitionTime'));
      this.#saw(textAt(condition, 'lastHeartbeatTime'));
    }
  }

  #saw(text: string): void {
    const time = Date.parse(text);
    if (time > (this.#latest ?? 0)) this.#latest = time;
  }

  #addEvent(event: KubeObject): void {
    const about = own(event, event.apiVersion === 'v1' ? 'involvedObject' : 'regarding') ?? event.involvedObject;
    if (!isObject(about)) return;
    this.addEvent({
      about: {
        group: splitApiVersion(textAt(about, 'apiVersion')).group,
        kind: textAt(about, 'kind'),
        namespace: textAt(about, 'namespace'),
        name: textAt(about, 'name'),
      },
      uid: textAt(about, 'uid'),
      type: textAt(event, 'type'),
      reason: textAt(event, 'reason'),
      message: textAt(event, 'message') || textAt(event, 'note'),
      source:
        textAt(event, 'source', 'component') ||
        textAt(event, 'reportingComponent') ||
        textAt(event, 'reportingController'),
      count: numberAt(event, 'count') ?? numberAt(event, 'series', 'count') ?? numberAt(event, 'deprecatedCount') ?? 1,
      time: eventTime(event),
    });
  }
}

const ORDER: readonly Listing[] = ['complete', 'partial', 'forbidden', 'missing', 'unlisted'];

function eventTime(event: JsonObject): number | undefined {
  for (const text of [
    textAt(event, 'lastTimestamp'),
    textAt(event, 'series', 'lastObservedTime'),
    textAt(event, 'deprecatedLastTimestamp'),
    textAt(event, 'eventTime'),
    textAt(event, 'firstTimestamp'),
  ]) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}

function isKubeObject(value: unknown): value is KubeObject {
  return (
    isObject(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    value.kind !== '' &&
    isObject(value.metadata) &&
    typeof value.metadata.name === 'string' &&
    value.metadata.name !== '' &&
    (value.metadata.namespace === undefined || typeof value.metadata.namespace === 'string')
  );
}

/**
 * By resourceVersion as a number, else by the more stable version of the API, then the one with more fields, then by
 * text: independent of the order.
 */
function isNewer(one: KubeObject, other: KubeObject): boolean {
  const [a, b] = [version(one), version(other)];
  if (a !== b) return a > b;
  const stable = stability(one) - stability(other);
  if (stable !== 0) return stable > 0;
  const [text, otherText] = [JSON.stringify(one), JSON.stringify(other)];
  return text.length === otherText.length ? text > otherText : text.length > otherText.length;
}

function version({ metadata }: KubeObject): number {
  const number = Number(metadata.resourceVersion ?? '');
  return Number.isFinite(number) ? number : 0;
}

/** The same object may be listed in several versions: v1 before v1beta1 before v1alpha1, v2 before v1. */
function stability({ apiVersion }: KubeObject): number {
  const match = /^v(\d{1,3})(?:(alpha|beta)(\d{1,3}))?$/.exec(splitApiVersion(apiVersion).version);
  if (match === null) return -1;
  const unstable = match[2] === 'beta' ? 1e6 : 0;
  return Number(match[1]) + (match[2] === undefined ? 2e6 : unstable) + Number(match[3] ?? 0) / 1000;
}
