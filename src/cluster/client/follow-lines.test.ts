import { afterEach, expect, it } from 'vitest';
import { startScriptedServer, type ScriptedServer } from '../testing/scripted-server.js';

let server: ScriptedServer;
afterEach(() => server.close());

it('gives text line by line, including an unterminated last line, and truncates very long lines', async () => {
  server = await startScriptedServer(() => ({
    headers: { 'content-type': 'text/plain' },
    body: `first\n\n${'x'.repeat(3 << 20)}\nlast`,
  }));
  const lines: string[] = [];
  await server.connect().lines(
    '/api/v1/namespaces/a/pods/b/log',
    (line) => {
      lines.push(line);
    },
    new AbortController().signal,
  );
  expect(lines.map(({ length }) => length)).toEqual([5, 0, 1 << 20, 4]);
});

it('throws the error of the server', async () => {
  server = await startScriptedServer(() => ({
    status: 400,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 400,
      reason: 'BadRequest',
      message: 'container is waiting to start',
    },
  }));
  await expect(server.connect().lines('/log', () => undefined, new AbortController().signal)).rejects.toThrow(
    'container is waiting to start',
  );
});
