import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sendRequest } from '../harness/send-request.js';
import { clearFolder, scratchFolder, startChild, type Child } from '../real/child.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const READY_WITHIN = 60_000;
/** At the same moment, and no more than there are strangers. */
const MAX_AT_ONCE = 200;

/** What became of an account that somebody locked by guessing. */
export interface LoginLock {
  readonly answers: Readonly<Record<string, number>>;
  /** Milliseconds by which the thread was late, p99, while all of them tried. */
  readonly delay: number;
  readonly wrong: readonly string[];
}

/**
 * Five wrong passwords lock admin. Then the process is killed with `kill -9` and started again, as many strangers as
 * asked for try names of their own, and two hundred try admin at once: the right password must open nothing at any
 * moment, and the process must go on.
 */
export async function lockOut(strangers: number): Promise<LoginLock> {
  const folder = scratchFolder('argosy-lock-');
  const atOnce = Math.min(strangers, MAX_AT_ONCE);
  const wrong: string[] = [];
  const answers: Record<string, number> = {};
  let running = await start(folder, 'first');
  try {
    const password = /password\s+(\S+)/.exec(readFileSync(running.child.logPath, 'utf8'))?.[1] ?? '';
    const login = async (username: string, word: string): Promise<number> =>
      (await sendRequest(`${running.url}/api/v1/session`, { method: 'POST', body: { username, password: word } }))
        .status;
    const expectLocked = async (when: string): Promise<void> => {
      const status = await login('admin', password);
      if (status !== 401) wrong.push(`${when} the right password got ${status}`);
    };
    // Who may look at the numbers signed in before.
    const token = String(
      (await sendRequest(`${running.url}/api/v1/session`, { method: 'POST', body: { username: 'admin', password } }))
        .body.token,
    );
    for (let tried = 0; tried < 5; tried++) await login('admin', 'wrong');
    await expectLocked('after five wrong ones');
    await running.child.stop('SIGKILL');
    running = await start(folder, 'second');
    await expectLocked('after kill -9');
    // From here on: the start itself is no login.
    await delayOf(running.url, token);
    await repeatConcurrently(strangers, async (index) => {
      count(answers, await login(`stranger-${index}`, 'wrong'));
    });
    await expectLocked(`after ${strangers} strangers`);
    await repeatConcurrently(
      atOnce,
      async () => {
        count(answers, await login('admin', 'wrong'));
      },
      atOnce,
    );
    await expectLocked(`after ${atOnce} at once`);
    running.child.assertAlive();
    const late = await delayOf(running.url, token);
    for (const status of Object.keys(answers))
      if (!['401', '429'].includes(status)) wrong.push(`${answers[status] ?? 0} got ${status}`);
    return { answers, delay: late, wrong };
  } finally {
    await running.child.stop();
    clearFolder(folder);
  }
}

async function start(folder: string, name: string): Promise<{ readonly child: Child; readonly url: string }> {
  const data = join(folder, 'data');
  const child = startChild(
    process.execPath,
    [
      '--disable-proto=delete',
      MAIN,
      'up',
      '--no-demo',
      '--data',
      data,
      '--api-port',
      '0',
      '--port',
      '0',
      '--metrics-port',
      '0',
    ],
    join(folder, `${name}.log`),
  );
  for (
    const end = Date.now() + READY_WITHIN;
    !readFileSync(child.logPath, 'utf8').includes('Ctrl-C');
    await delay(50)
  ) {
    child.assertAlive();
    if (Date.now() > end) throw new Error(`argosy up is not ready: ${readFileSync(child.logPath, 'utf8')}`);
  }
  if (!existsSync(join(data, 'run.json'))) throw new Error('there is no run.json');
  return { child, url: (JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { web: string }).web };
}

/** So many tries, at most 64 at the same time unless told. */
async function repeatConcurrently(number: number, act: (index: number) => Promise<void>, atOnce = 64): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, number) }, async () => {
      while (next < number) await act(next++);
    }),
  );
}

function count(answers: Record<string, number>, status: number): void {
  answers[status] = (answers[status] ?? 0) + 1;
}

async function delayOf(url: string, token: string): Promise<number> {
  const { text } = await sendRequest(`${url}/metrics`, { token });
  const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error(`the delay of the thread is not among the numbers: ${text.slice(0, 300)}`);
  return Math.round(Number(seconds) * 1000);
}
