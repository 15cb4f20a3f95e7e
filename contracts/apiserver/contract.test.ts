import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cachedAnswer } from '../real/cached-answer.js';
import { partsDir } from '../real/go-build.js';
import { readCases, type Case, type StepResult, type CaseStep } from './case.js';
import { contains } from './match-json.js';
import { play } from './play.js';
import { chosenServers, type Server } from './servers.js';

const cases = readCases();
const topics = [...new Set(cases.map(({ topic }) => topic))];
const BUILD_AND_START = 20 * 60_000;
const servers = await Promise.all(
  chosenServers().map(async (server) => ({ ...server, absent: await server.missing() })),
);

/** The real server answers a case as it did before, unless the case, the server or how it is asked has changed. */
const READERS = [
  partsDir('kubernetes-v1.34.4'),
  ...readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')),
];

/** `expect` is the whole of what a step shows, `has` a part of it. */
function verify(step: CaseStep, seen: StepResult, index: number): void {
  const where = `step ${index + 1}: ${step.do ?? `events of ${step.events ?? ''}`}`;
  if (step.expect === undefined && step.has === undefined)
    throw new Error(`${where} expects nothing: npm run contracts:record`);
  if (step.expect !== undefined) expect(seen, where).toEqual(step.expect);
  if (step.has !== undefined && !contains({ ...seen }, { ...step.has })) expect(seen, where).toMatchObject(step.has);
}

describe.each(servers)('$name', ({ name, open, absent }) => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let opened: Promise<Server> | undefined;
  const server = (): Promise<Server> => (opened ??= open());
  afterAll(async () => (await opened)?.stop());
  const playCase = async (played: Case): Promise<true> => {
    await play((await server()).connection, played, verify);
    return true;
  };

  describe.each(topics)('%s', (topic) => {
    for (const played of cases.filter((one) => one.topic === topic)) {
      const reason = played.skip[name];
      if (reason !== undefined)
        it.skip(`${played.name} (skipped: ${reason})`, () => {
          /* the name says why */
        });
      else
        it.concurrent(
          played.name,
          () =>
            name === 'real'
              ? cachedAnswer('contract', [JSON.stringify(played), ...READERS], () => playCase(played))
              : playCase(played),
          BUILD_AND_START,
        );
    }
  });
});
