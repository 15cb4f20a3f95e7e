import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { largeFiles, playLarge } from './bad-input/large.js';
import { readTopics } from './bad-input/rows.js';
import { BadInputLab, type PlacedRow } from './bad-input/lab.js';

// Whatever somebody writes is answered by a condition that says what is wrong, and others are delivered all the while.
const topics = readTopics();
const placed: readonly (PlacedRow & { readonly topic: string })[] = topics.flatMap(({ name, rows }, topic) =>
  rows.map((row, index) => ({ topic: name, row, id: `bad-${topic}-${index}` })),
);
const absent = embeddedMissing();
const START = 120_000;
/** `npm run prove -- large-application` has 10,000. */
const LARGE = 3000;

describe.skipIf(absent !== undefined)('bad input', () => {
  let stage: BadInputLab | undefined;
  beforeAll(async () => {
    stage = await BadInputLab.open(placed, largeFiles(LARGE));
  }, START);
  afterAll(() => stage?.stop(), START);

  describe.each(topics)('$name', ({ name }) => {
    const own = placed.filter(({ topic }) => topic === name);
    for (const one of own.filter(({ row }) => row.settings === undefined))
      it.concurrent(one.row.it, () => stage?.play(one), START);
    for (const one of own.filter(({ row }) => row.settings !== undefined))
      it(one.row.it, () => stage?.play(one), START);
  });

  it(
    `${LARGE} resources in one application`,
    () => (stage === undefined ? undefined : playLarge(stage, LARGE)),
    5 * START,
  );

  it('none of it brought a stack trace, or the same line without end', () => {
    const log = stage?.controller.log ?? [];
    expect(log.filter((line) => /\n\s+at .+:\d+:\d+/.test(line))).toEqual([]);
    const counts = new Map<string, number>();
    for (const line of log) counts.set(line, (counts.get(line) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
  });
});

if (absent !== undefined)
  it.skip(absent, () => {
    /* the name says why */
  });
