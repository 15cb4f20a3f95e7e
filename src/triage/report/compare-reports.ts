import { isObject, type Json } from '../../model/json/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { textAt, valueAtPath } from '../json/index.js';
import type { Snapshot } from '../snapshot/index.js';
import { plainText } from './plain-text.js';
import type { GoneCause, Report, ReportedCause } from './report.js';

const MAX_CHANGES = 6;

/** Compares with an earlier report: resolved causes and what changed, remaining ones, new ones. */
export function compareReports(previous: Report, report: Report, snapshot: Snapshot): Report {
  const now = new Set(report.causes.map(({ id }) => id));
  const before = new Set(previous.causes.map(({ id }) => id));
  const index = new ObjectIndex(snapshot);
  const gone = previous.causes.filter(({ id, severity }) => !now.has(id) && severity !== 'P3');
  const checked = gone.map((cause) => ({
    isVisible: index.canVerify(cause),
    gone: goneCause(cause, report.time, index, previous.time),
  }));
  // What an earlier comparison already struck stays struck, unless it came back.
  const earlier = (previous.history?.resolved ?? []).filter(({ id }) => !now.has(id) && !before.has(id));
  const resolved = [...earlier, ...checked.filter(({ isVisible }) => isVisible).map((one) => one.gone)];
  const unverified = checked.filter(({ isVisible }) => !isVisible).map((one) => one.gone);
  const isOpen = report.causes.some(({ severity }) => severity === 'P0' || severity === 'P1') || unverified.length > 0;
  const openStatus = resolved.length > 0 ? 'Partially Resolved' : 'Open';
  return {
    ...report,
    status: isOpen ? openStatus : 'Resolved',
    history: {
      previous: previous.time,
      resolved,
      unverified,
      fresh: report.causes.filter(({ id }) => !before.has(id)).map(({ id }) => id),
    },
  };
}

function goneCause(cause: ReportedCause, resolved: string, index: ObjectIndex, since: string): GoneCause {
  const { id, name, severity, rule, title } = cause;
  return { id, name, severity, rule, title, resolved, changed: changesOf(cause, index, since) };
}

/** The evidence of the earlier report, checked again. */
function changesOf(cause: ReportedCause, index: ObjectIndex, since: string): string[] {
  const changes = new Set<string>();
  const wasAbsent = new Set(
    cause.evidence.filter(({ path, value }) => path === '' && value === 'absent').map(({ of }) => of),
  );
  for (const { of, path, value } of cause.evidence) {
    const object = index.byText(of);
    if (object === undefined) continue;
    if (path === '' && value === 'absent') changes.add(`${of} exists now`);
    else if (isYounger(object, since)) changes.add(`${of} was recreated`);
    else changed(changes, of, path, value, valueAtPath(object, path));
  }
  for (const key of cause.objects) {
    const object = index.byKey(key);
    const name = `${key.kind} ${key.namespace === '' ? '' : `${key.namespace}/`}${key.name}`;
    // What the earlier report called absent is no news.
    if (object === undefined && wasAbsent.has(name)) continue;
    if (object === undefined && index.knows(key)) changes.add(`${name} was deleted`);
    else if (object !== undefined && isYounger(object, since)) changes.add(`${name} was recreated`);
    else if (object !== undefined && cause.field !== '' && changes.size === 0)
      changed(changes, name, cause.field, undefined, valueAtPath(object, cause.field));
  }
  return [...changes].slice(0, MAX_CHANGES).map((each) => plainText(each));
}

function changed(into: Set<string>, of: string, path: string, before: string | undefined, now: Json | undefined): void {
  const text = formatValue(now);
  if (path === '' || text === before || (before !== undefined && text !== '' && before.startsWith(text))) return;
  into.add(text === '' ? `${of} no longer has ${path}` : `${of} ${path} is ${plainText(text, 120)}`);
}

/** A condition in short form, otherwise the value. */
function formatValue(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isObject(value) && typeof value.type === 'string' && typeof value.status === 'string')
    return `${value.status} ${textAt(value, 'reason')}`.trim();
  return JSON.stringify(value);
}

function isYounger(object: KubeObject, since: string): boolean {
  return Date.parse(textAt(object, 'metadata', 'creationTimestamp')) > Date.parse(since);
}

/** Objects by the names that reports use. */
class ObjectIndex {
  readonly #byText = new Map<string, KubeObject>();
  readonly #byKey = new Map<string, KubeObject>();
  readonly #kinds = new Set<string>();
  readonly #complete = new Set<string>();

  constructor(snapshot: Snapshot) {
    for (const object of snapshot.objects) {
      const key = keyOf(object);
      this.#byKey.set(keyText(key), object);
      this.#byText.set(
        key.namespace === '' ? `${key.kind} ${key.name}` : `${key.kind} ${key.namespace}/${key.name}`,
        object,
      );
      this.#kinds.add(`${key.group}/${key.kind}`.toLowerCase());
    }
    for (const { group, kind, listing } of snapshot.listings)
      if (listing === 'complete') this.#complete.add(`${group}/${kind}`.toLowerCase());
  }

  byText(text: string): KubeObject | undefined {
    return this.#byText.get(text);
  }

  byKey(key: Key): KubeObject | undefined {
    return this.#byKey.get(keyText(key));
  }

  /** Whether the absence of an object of this kind means something. */
  knows({ group, kind }: Key): boolean {
    const id = `${group}/${kind}`.toLowerCase();
    return this.#complete.has(id) || this.#kinds.has(id);
  }

  /** Whether the objects of a cause could be read again. */
  canVerify({ objects, evidence }: ReportedCause): boolean {
    if (objects.some((key) => this.byKey(key) !== undefined || this.knows(key))) return true;
    return evidence.some(({ of }) => this.byText(of) !== undefined);
  }
}
