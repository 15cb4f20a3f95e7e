import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCases, type StepResult, type CaseStep } from './case.js';
import { contains } from './match-json.js';
import { play } from './play.js';
import { chosenServers, type Server } from './servers.js';

const cases = readCases();
const topics = [...new Set(cases.map(({ topic }) => topic))];
const BUILD_AND_START = 20 * 60_000;
const servers = await Promise.all(
  chosenServers().map(async (server) => ({ ...server, absent: await server.missing() })),
);

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
  let server: Server;
  beforeAll(async () => {
    server = await open();
  }, BUILD_AND_START);
  afterAll(() => server.stop());

  describe.each(topics)('%s', (topic) => {
    for (const played of cases.filter((one) => one.topic === topic)) {
      const reason = played.skip[name];
      if (reason !== undefined)
        it.skip(`${played.name} (skipped: ${reason})`, () => {
          /* the name says why */
        });
      else it.concurrent(played.name, () => play(server.connection, played, verify));
    }
  });
});
