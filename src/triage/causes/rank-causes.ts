import type { Grade } from '../graph/index.js';
import type { Finding, Impact, Severity } from '../findings/index.js';
import type { Cause } from './find-causes.js';
import { addPart, compareFractions, ZERO, type Fraction } from './fraction.js';
import type { Unit } from './units.js';

/** What decides the place of a cause. */
export interface WeightedCause {
  readonly cause: Cause;
  readonly reach: ReadonlyMap<string, Unit>;
  /** The weakest edge on the path to it. */
  readonly worstGrade: Grade;
  readonly length: number;
  /** The worst that is so because of it. */
  readonly impact: Impact;
}

/**
 * What a cause breaks counts as much as what it is: a missing service account takes down the secret store. Drift stays
 * drift: it takes nothing down.
 */
export function impactOf({ impact }: Finding, consequences: readonly Finding[]): Impact {
  const breaks = (what: Impact): boolean =>
    consequences.some((finding) => finding.impact === what && finding.level !== 'waiting');
  if (impact === 'drift') return 'drift';
  if (breaks('infrastructure')) return 'infrastructure';
  return impact === 'note' && breaks('capacity') ? 'capacity' : impact;
}

/** What ranking adds to a cause. */
export interface Rank {
  readonly severity: Severity;
  /** Units that are whole again once this and all before it are repaired. */
  readonly heals: number;
  /** Units that have no other open cause. */
  readonly alone: number;
}

/** A table, not a score: what is broken, for how many, and how certain the path to it is. */
export function severityOf({ cause, reach, worstGrade, impact }: WeightedCause, units: number): Severity {
  if (cause.kind === 'waiting' || impact === 'note') return 'P3';
  if (impact === 'drift') return 'P2';
  const isProved =
    (worstGrade === 'A' || worstGrade === 'B') && cause.kind !== 'unexplained' && cause.finding.suspect !== true;
  if (!isProved) return 'P1';
  const environments = new Set([...reach.values()].map(({ environment }) => environment).filter((name) => name !== ''));
  const isWide = reach.size >= Math.max(3, Math.ceil(units / 20)) || (reach.size > 1 && environments.size > 1);
  return impact === 'infrastructure' || isWide ? 'P0' : 'P1';
}

const LEVELS: readonly Severity[] = ['P0', 'P1', 'P2', 'P3'];
/** Beyond this many causes of one level the order is the fixed one: choosing step by step would take too long. */
const MAX_GREEDY = 300;

/** Whether a cause is proved, only suspected, or a symptom that nothing explains. */
function doubtOf({ cause: { kind, finding }, worstGrade }: WeightedCause): number {
  if (kind === 'unexplained') return 2;
  return finding.suspect === true || worstGrade === 'C' || worstGrade === 'D' ? 1 : 0;
}

/** Puts causes in the order of repair: within a severity what is proved first, then what heals most units. */
export function rankCauses<Weighted extends WeightedCause>(
  weighed: readonly Weighted[],
  units: number,
): (Weighted & Rank)[] {
  const bySeverity = weighed.map((one) => ({ ...one, severity: severityOf(one, units) }));
  const open = openCauses(bySeverity);
  const blockers = new Map([...open].map(([unit, set]) => [unit, set.size]));
  const ranked: (Weighted & Rank)[] = [];
  for (const level of LEVELS) {
    let rest = bySeverity.filter(({ severity }) => severity === level).sort(compareFixed);
    while (rest.length > 0) {
      const least = Math.min(...rest.map(doubtOf));
      const best = rest.filter((one) => doubtOf(one) === least);
      const chosen = best.length > MAX_GREEDY ? best[0] : choose(best, open);
      if (chosen === undefined) break;
      const heals = healedBy(chosen, open);
      ranked.push({ ...chosen, heals, alone: aloneOf(chosen, blockers) });
      for (const unit of chosen.reach.keys()) open.get(unit)?.delete(chosen.cause.key);
      rest = rest.filter((one) => one !== chosen);
    }
  }
  return ranked;
}

export type RankedCause = WeightedCause & Rank;

type GradedCause = WeightedCause & { readonly severity: Severity };
type Open = Map<string, Set<string>>;

/** Causes that keep a unit from being whole; drift and notes do not. */
function openCauses(causes: readonly GradedCause[]): Open {
  const open: Open = new Map();
  for (const { cause, reach, severity } of causes) {
    if (severity === 'P2' || severity === 'P3') continue;
    for (const unit of reach.keys()) {
      const set = open.get(unit) ?? new Set<string>();
      set.add(cause.key);
      open.set(unit, set);
    }
  }
  return open;
}

function healedBy({ cause, reach }: WeightedCause, open: Open): number {
  let healed = 0;
  for (const unit of reach.keys()) {
    const set = open.get(unit);
    if (set?.size === 1 && set.has(cause.key)) healed++;
  }
  return healed;
}

function aloneOf({ reach, severity }: GradedCause, blockers: ReadonlyMap<string, number>): number {
  const itself = severity === 'P0' || severity === 'P1' ? 1 : 0;
  return [...reach.keys()].filter((unit) => (blockers.get(unit) ?? 0) === itself).length;
}

/** The cause that heals most units now; among equals the one with the larger share of what is still open. */
function choose<Graded extends GradedCause>(rest: readonly Graded[], open: Open): Graded | undefined {
  let best: { readonly one: Graded; readonly heals: number; readonly share: Fraction } | undefined;
  for (const one of rest) {
    const heals = healedBy(one, open);
    if (best !== undefined && heals < best.heals) continue;
    const share = shareOf(one, open);
    if (best === undefined || heals > best.heals || compareFractions(share, best.share) > 0)
      best = { one, heals, share };
  }
  return best?.one;
}

function shareOf({ cause, reach }: WeightedCause, open: Open): Fraction {
  let share = ZERO;
  for (const unit of reach.keys()) {
    const set = open.get(unit);
    if (set?.has(cause.key) === true) share = addPart(share, set.size);
  }
  return share;
}

/** The rest of the tuple: reach, how sure the chain is, how long, since when, kind and name. */
function compareFixed(a: GradedCause, b: GradedCause): number {
  return (
    b.reach.size - a.reach.size ||
    a.worstGrade.localeCompare(b.worstGrade) ||
    b.length - a.length ||
    (a.cause.finding.onset ?? Infinity) - (b.cause.finding.onset ?? Infinity) ||
    0 ||
    (a.cause.key < b.cause.key ? -1 : 1)
  );
}
