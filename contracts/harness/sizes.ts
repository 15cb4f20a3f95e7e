/**
 * `npm test` runs each suite at its smoke size: every kind of thing at least once. `npm run prove -- whole-suites` runs
 * the same suites with everything that they have.
 */
export const IS_WHOLE = process.env['ARGOSY_SIZE'] === 'whole';

/** The first member of each kind, and of those that have several kinds as few as it takes; all at the whole size. */
export function oneOfEach<T>(items: readonly T[], kindsOf: (item: T) => readonly string[]): readonly T[] {
  if (IS_WHOLE) return items;
  const covered = new Set<string>();
  return items.filter((item) => {
    const fresh = kindsOf(item).filter((kind) => !covered.has(kind));
    for (const kind of fresh) covered.add(kind);
    return fresh.length > 0;
  });
}
