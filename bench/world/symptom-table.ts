import type { SymptomState } from '../../world/fleet/index.js';

/** What was seen where. */
export interface Place {
  readonly name: string;
  readonly seen: readonly SymptomState[];
}

const WHAT = 104;
const CELL = 19;

/**
 * A line for each symptom below the heading that tells of it, with a column for each place: how many objects show it,
 * and after how many seconds all of them did.
 */
export function symptomTable(places: readonly Place[], begin: number): string[] {
  const chapters = new Map<string, Map<string, Map<string, string>>>();
  for (const { name, seen } of places) {
    for (const each of seen) {
      const title = titleOf(each);
      const lines = chapters.get(each.symptom.heading) ?? new Map<string, Map<string, string>>();
      chapters.set(each.symptom.heading, lines);
      const cells = lines.get(title) ?? new Map<string, string>();
      lines.set(title, cells.set(name, cellOf(each, begin)));
    }
  }
  const names = places.map(({ name }) => name);
  return [
    `  ${''.padEnd(WHAT)}${names.map((name) => name.padEnd(CELL)).join('')}`,
    ...[...chapters].flatMap(([heading, lines]) => [
      `  ${heading}`,
      ...[...lines].map(
        ([title, cells]) =>
          `    ${title.padEnd(WHAT - 2)}${names.map((name) => (cells.get(name) ?? '').padEnd(CELL)).join('')}`,
      ),
    ]),
  ].map((line) => line.trimEnd());
}

function titleOf({ symptom: { kind, names, columns, event } }: SymptomState): string {
  const [first = ''] = names;
  const isSecret = event.message.startsWith('Error: secret');
  const because = isSecret ? event.message.slice('Error: '.length) : event.reason;
  // How many there are is another number in each environment, so it stands in the cells.
  return (
    `${kind} ${first.replaceAll(/\*[*-]*/g, '*')}${names.length === 1 ? '' : ' and others'} ` +
    `${Object.values(columns).join(' ')}, ${because}`
  );
}

function cellOf({ symptom: { names }, at, count, missing }: SymptomState, begin: number): string {
  const number = names.length === 1 ? String(count) : `${names.length - missing.length} of ${names.length}`;
  return at === undefined || missing.length > 0
    ? `${number}, MISSING`
    : `${number}, ${((at - begin) / 1000).toFixed(1)} s`;
}
