import { Fault } from '../../model/faults/index.js';
import {
  firstTransition,
  isTimeZone,
  matchesGlob,
  nextTime,
  parseCron,
  parseDuration,
  zoneOffset,
  type CronSchedule,
} from '../../model/formats/index.js';
import type { Application, SyncWindow } from '../../model/argo/index.js';

export interface SyncWindowsInput {
  readonly now: Date;
  /** Asked for by a person: windows with `manualSync` do not hold it back. */
  readonly isManual: boolean;
  /** When the sync began that asks whether it may go on, for `syncOverrun`. */
  readonly startedAt?: Date;
}

export interface SyncWindowsDecision {
  readonly isAllowed: boolean;
  /** The windows that speak of the application. */
  readonly matching: readonly SyncWindow[];
  /** Those of them that are open now. */
  readonly active: readonly SyncWindow[];
  /** When to ask again: the verdict stays as it is until then. Undefined where it never changes. */
  readonly nextChange?: Date;
  /** Why the windows cannot be read; nothing is synced then. */
  readonly problem?: string;
}

/** A window whose schedule was read. */
interface ParsedWindow {
  readonly window: SyncWindow;
  readonly schedule: CronSchedule;
  /** Milliseconds. */
  readonly duration: number;
  readonly timeZone: string;
}

/** How many openings and closings are looked at to find the one that turns the verdict. */
const MAX_BOUNDARIES = 20;

/**
 * Whether the windows of a project let the application be synced, as Argo CD decides: an open deny wins, then an open
 * allow; with allows that are all closed nothing is synced.
 */
export function evaluateSyncWindows(
  windows: readonly SyncWindow[],
  application: Pick<Application, 'name' | 'destination'>,
  question: SyncWindowsInput,
): SyncWindowsDecision {
  const matching = windows.filter((window) => appliesTo(window, application));
  let read: ParsedWindow[];
  try {
    read = matching.map(parseWindow);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { isAllowed: false, matching, active: [], problem: `invalid sync windows: ${error.message}` };
  }
  const now = question.now.getTime();
  const isAllowed = maySync(read, question, now);
  const nextChange = findNextChange(read, question, isAllowed);
  return {
    isAllowed,
    matching,
    active: read.filter((each) => isOpen(each, now)).map(({ window }) => window),
    ...(nextChange === undefined ? {} : { nextChange: new Date(nextChange) }),
  };
}

/** Any of the three lists, or with `andOperator` all of those that are not empty. */
function appliesTo(window: SyncWindow, { name, destination }: Pick<Application, 'name' | 'destination'>): boolean {
  const lists = [
    { patterns: window.applications, texts: [name] },
    { patterns: window.clusters, texts: [destination.name, destination.server].filter((text) => text !== '') },
    { patterns: window.namespaces, texts: [destination.namespace] },
  ].filter(({ patterns }) => patterns.length > 0);
  const fits = ({ patterns, texts }: { patterns: readonly string[]; texts: readonly string[] }): boolean =>
    patterns.some((pattern) => texts.some((text) => pattern === '*' || matchesGlob(pattern, text)));
  return window.andOperator ? lists.length > 0 && lists.every(fits) : lists.some(fits);
}

function parseWindow(window: SyncWindow): ParsedWindow {
  const said = <T>(what: string, text: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(error.code, `cannot parse ${what} '${text}': ${error.message}`, { cause: error });
    }
  };
  return {
    window,
    schedule: said('schedule', window.schedule, () => parseCron(window.schedule)),
    duration: said('duration', window.duration, () => Number(parseDuration(window.duration) / 1_000_000n)),
    // Argo CD goes on with UTC where it does not know the zone.
    timeZone: isTimeZone(window.timeZone) ? window.timeZone : 'UTC',
  };
}

function maySync(windows: readonly ParsedWindow[], { isManual, startedAt }: SyncWindowsInput, now: number): boolean {
  const began = startedAt?.getTime();
  const overran = (held: readonly ParsedWindow[]): boolean =>
    began !== undefined &&
    held.every(({ window }) => window.syncOverrun) &&
    maySync(windows, { isManual, now: new Date(began) }, began);
  const open = windows.filter((each) => isOpen(each, now));
  const denies = open.filter(({ window }) => window.kind === 'deny');
  if (denies.length > 0) return (isManual && denies.every(({ window }) => window.manualSync)) || overran(denies);
  const allows = windows.filter(({ window }) => window.kind === 'allow');
  if (allows.length === 0 || open.some(({ window }) => window.kind === 'allow')) return true;
  return (isManual && allows.every(({ window }) => window.manualSync)) || overran(allows);
}

/**
 * Open between a start and its end, both left out. Clocks of the zone are read as they stand at the moment of the
 * question, also for a start before they were changed: so does Argo CD. A schedule without any start counts as open, as
 * there.
 */
function isOpen({ schedule, duration, timeZone }: ParsedWindow, at: number): boolean {
  const clock = at + zoneOffset(timeZone, at);
  const start = nextTime(schedule, clock - duration);
  return start === undefined || start < clock;
}

/** The first moment at which the verdict is another one; or, where that is far off, the last one that was looked at. */
function findNextChange(
  windows: readonly ParsedWindow[],
  question: SyncWindowsInput,
  isAllowed: boolean,
): number | undefined {
  let at: number | undefined = question.now.getTime();
  for (let count = 0; count < MAX_BOUNDARIES; count++) {
    at = nextBoundary(windows, at);
    if (at === undefined || maySync(windows, question, at) !== isAllowed) return at;
  }
  return at;
}

function nextBoundary(windows: readonly ParsedWindow[], after: number): number | undefined {
  const found = windows.flatMap((each) => boundaryOf(each, after) ?? []);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** When the window opens or closes next, as long as clocks stay as they are; else when they are changed. */
function boundaryOf({ schedule, duration, timeZone }: ParsedWindow, after: number): number | undefined {
  const offset = zoneOffset(timeZone, after);
  const clock = after + offset;
  const opening = nextTime(schedule, clock - 1);
  const running = nextTime(schedule, clock - duration);
  const found = [opening === undefined ? Infinity : opening + 1, running === undefined ? Infinity : running + duration];
  const first = Math.min(...found.filter((at) => at > clock)) - offset;
  if (!Number.isFinite(first)) return undefined;
  return firstTransition(timeZone, after, first) ?? first;
}
