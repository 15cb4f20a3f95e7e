import { isHeldOut } from './labels.js';
import type { Verdict } from './verdict.js';

/** The table of all verdicts: by category, by kind where it is not held out, and how much a confidence is worth. */
export function tableOf(verdicts: readonly Verdict[]): string[] {
  const open = verdicts.filter(({ incident }) => !isHeldOut(incident.fault));
  const kinds = new Set(open.map(({ incident }) => incident.fault));
  const categories = [...new Set(verdicts.map(({ incident }) => incident.category))].sort();
  const grown = (name: string, of: readonly Verdict[]): string[] => (of.length === 0 ? [] : [rowOf(name, of)]);
  return [
    HEAD,
    ...categories.flatMap((category) => [
      ...grown(
        category,
        verdicts.filter(({ incident }) => incident.category === category),
      ),
      ...[...kinds].sort().flatMap((kind) =>
        grown(
          `  ${kind}`,
          open.filter(({ incident }) => incident.category === category && incident.fault === kind),
        ),
      ),
    ]),
    ...grown(
      'kinds that are held out',
      verdicts.filter(({ incident }) => isHeldOut(incident.fault)),
    ),
    ...grown('kinds that are not', open),
    ...grown(
      'with evidence in the dump',
      verdicts.filter(({ incident }) => incident.hasEvidence),
    ),
    ...grown('all', verdicts),
    ...calibration(verdicts),
  ];
}

const COLUMNS = ['cases', 'both@1', 'found', 'cited', 'false P0', 'exit 0'];
const HEAD = `${''.padEnd(38)}${COLUMNS.map((name) => name.padStart(10)).join('')}`;

function rowOf(name: string, of: readonly Verdict[]): string {
  const count = (is: (verdict: Verdict) => boolean): number => of.filter(is).length;
  const share = (is: (verdict: Verdict) => boolean): string => (count(is) / of.length).toFixed(2);
  const cells = [
    String(of.length),
    share(({ isFirst }) => isFirst),
    share(({ isFound }) => isFound),
    share(({ isCited }) => isCited),
    String(count(({ isFalseP0 }) => isFalseP0)),
    String(count(({ isSilent }) => isSilent)),
  ];
  return `${name.padEnd(38)}${cells.map((cell) => cell.padStart(10)).join('')}`;
}

/** How often a first cause of each confidence is right. */
function calibration(verdicts: readonly Verdict[]): string[] {
  return [...new Set(verdicts.map(({ confidence }) => confidence))]
    .filter((confidence) => confidence !== '')
    .sort()
    .map((confidence) => {
      const of = verdicts.filter((verdict) => verdict.confidence === confidence);
      const right = of.filter(({ isFirst }) => isFirst).length;
      return `first cause ${confidence}: ${of.length}, right ${(right / of.length).toFixed(2)}`;
    });
}

/** What is wrong, a line each, with what was said instead; nothing of what is held out. */
export function missedOf(verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ isFirst, incident }) => !isFirst && !isHeldOut(incident.fault))
    .map(
      ({ incident, first, isFound }) =>
        `${incident.name} ${incident.fault} ${incident.component}${isFound ? ' (found, not first)' : ''}: ` +
        (first === undefined ? 'nothing' : `${first.severity} ${first.rule} ${first.confidence} ${first.title}`),
    );
}
