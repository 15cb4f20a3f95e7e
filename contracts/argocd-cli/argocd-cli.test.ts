import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { cachedParts } from '../real/part-table.js';
import { compareCase, differenceText } from './compare.js';
import { caseNames, CommandLine, readCommands, readRecorded, type PlayedServer } from './play.js';
import { startArgosy } from './servers.js';

const { paths, missing } = cachedParts(['argocd']);
const reason = embeddedMissing() ?? (missing.length > 0 ? 'skipped: argocd, made by npm run parts -- argocd' : '');

describe.skipIf(reason !== '')(`the command line of Argo CD${reason === '' ? '' : ` (${reason})`}`, () => {
  let server: PlayedServer;
  beforeAll(async () => {
    server = await startArgosy();
  });
  afterAll(async () => {
    await server.stop();
  });

  it('says what it says with the server of Argo CD', async () => {
    const { differences } = await compareCase('00-first', new CommandLine(paths.argocd, server));
    expect(differences.filter((each) => each.reason === '').map(differenceText)).toEqual([]);
  });
});

it.each(caseNames())('%s is recorded', (name) => {
  expect(readRecorded(name).map(({ run }) => run)).toEqual(readCommands(name).map(({ run }) => run));
});
