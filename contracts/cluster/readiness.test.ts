import { afterEach, describe, expect, it } from 'vitest';
import {
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from '../../src/cluster/testing/scripted-server.js';
import { Readiness } from '../../src/control/services/readiness.js';

let server: ScriptedServer;
afterEach(() => server.close());

async function open(answer: () => ScriptedResponse): Promise<Readiness> {
  server = await startScriptedServer(answer);
  return new Readiness(server.connect(), server.clock);
}

describe('whether the API server is ready', () => {
  it.each<[what: string, answer: ScriptedResponse, problem: string]>([
    ['it says so', { body: 'ok' }, ''],
    ['it asks for another user', { status: 403, body: {} }, ''],
    ['it has no such page', { status: 404, body: {} }, ''],
    [
      'its store cannot be written',
      { status: 500, body: '[-]store failed' },
      'the Kubernetes API server is not ready: its /readyz answers 500',
    ],
    ['the connection is cut', 'cut', 'the Kubernetes API server cannot be reached'],
  ])('%s', async (_, answer, problem) => {
    expect(await (await open(() => answer)).problem()).toBe(problem);
  });

  it('it does not answer', async () => {
    const readiness = await open(() => 'hang');
    const problem = readiness.problem();
    await server.clock.until(() => server.requests.length > 0);
    server.clock.advance(900);
    expect(await problem).toBe('the Kubernetes API server cannot be reached');
  });

  it('it is asked once a second, however many ask for it, and is ready again as soon as it says so', async () => {
    let isReady = false;
    const readiness = await open(() => (isReady ? { body: 'ok' } : { status: 503, body: '' }));
    const all = await Promise.all([readiness.problem(), readiness.problem(), readiness.problem()]);
    expect([new Set(all).size, server.requests.length]).toEqual([1, 1]);
    isReady = true;
    server.clock.advance(1000);
    expect([await readiness.problem(), server.requests.length]).toEqual(['', 2]);
  });
});
