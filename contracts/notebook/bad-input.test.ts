import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { hasJupyter, notebookText } from '../../runner/testing/run-notebook.js';
import { startGitServer, type GitServer } from '../../world/doubles/index.js';
import { writeRepository } from '../../world/fleet/write-repository.js';
import { processesWith } from '../real/processes-with.js';
import { NotebookLab, placeOf } from './notebook-lab.js';
import { EVENTS } from '../../src/model/resources/index.js';

const IMAGE = 'quay.io/jupyter/minimal-notebook:latest';
const NS = 'bad';
const MARK = `argosy-bad-${process.pid}`;
const sandbox = findSandbox();
const missing = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why.replaceAll(/[()]/g, '')})` : '';
/** Leaves processes behind in every way that there is: sessions of their own, orphans, and one that does not hear. */
const LEAVE = `import os, subprocess
subprocess.Popen(["setsid", "sh", "-c", "trap '' TERM HUP; sleep 600; true ${MARK}"])
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sh", ["sh", "-c", "sleep 600; true ${MARK}"])
        os._exit(0)`;

describe(`bad input${missing}`, { skip: missing !== '' }, () => {
  let lab: NotebookLab;
  let git: GitServer;
  const folder = mkdtempSync(join(tmpdir(), 'argosy-bad-git-'));
  beforeAll(async () => {
    writeRepository(join(folder, 'ml.git'), [
      {
        message: 'Notebooks',
        files: new Map([
          ['good.ipynb', notebookText(['1'])],
          ['text.ipynb', 'this is no JSON'],
          ['kernel.ipynb', notebookText(['1'], 'no-such-kernel')],
          ['forks.ipynb', notebookText([LEAVE])],
          ['endless.ipynb', notebookText(['1', `${LEAVE}\nwhile True: pass`])],
          [
            'large.ipynb',
            notebookText([
              'line = "y" * 99 + "\\n"\nfor _ in range(500):\n    print(line * 1000, end="")',
              '"z" * 3_000_000',
              'raise ValueError("v" * 5_000_000)',
            ]),
          ],
        ]),
      },
    ]);
    git = await startGitServer({ folder, users: [], isPublic: true, report: () => undefined });
    lab = await NotebookLab.open({ processes: { images: [{ image: IMAGE }], reachable: [placeOf(git.url)] } });
    await lab.namespace(NS);
  }, 60_000);
  afterAll(async () => {
    await lab.close();
    await git.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (
    name: string,
    path: string,
    spec: JsonObject = {},
    annotations: JsonObject = {},
    notebook: JsonObject = {},
  ): Promise<void> => {
    await lab.job(
      NS,
      name,
      {},
      {
        metadata: { annotations },
        spec: {
          notebook: { git: { url: `${git.url}/ml.git`, ref: 'main', ...notebook }, path },
          podConfig: { containerImage: IMAGE },
          ...spec,
        },
      },
    );
  };
  const until = (name: string, holds: (status: JsonObject) => boolean): Promise<JsonObject> =>
    lab.until(
      name,
      async () => {
        const status = await lab.status(NS, name);
        return holds(status) && status;
      },
      120_000,
    );
  const over = (name: string): Promise<JsonObject> =>
    until(name, ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
  const condition = ({ conditions }: JsonObject, type: string): string => {
    const found = isArray(conditions) ? conditions.find((each) => isObject(each) && each.type === type) : undefined;
    return isObject(found) ? `${String(found.status)} ${String(found.reason)}: ${String(found.message)}` : '';
  };

  it('is reported when a run begins: triggers that are no YAML, invalid waves, Secrets that are missing', async () => {
    await run(
      'triggers',
      'good.ipynb',
      {},
      { 'mlops.dev/on-success-trigger': '- {apiVersion: apps/v1, kind: Deployment' },
    );
    await run('waves', 'good.ipynb', {}, { 'argocd.argoproj.io/sync-wave': '3', 'mlops.dev/block-wave': 'three' });
    await run('secrets', 'good.ipynb', { podConfig: { containerImage: IMAGE, credentials: ['nowhere'] } });
    const [triggers, waves, secrets] = await Promise.all(
      ['triggers', 'waves', 'secrets'].map((name) => until(name, ({ phase }) => phase !== undefined)),
    );
    expect(condition(triggers ?? {}, 'TriggersValid')).toMatch(
      /^False InvalidTriggers: annotation mlops\.dev\/on-success-trigger is not valid YAML/,
    );
    expect(condition(waves ?? {}, 'WaveBlocked')).toBe(
      'False InvalidBlockWave: annotation mlops.dev/block-wave is "three": it must be an integer ' +
        'greater than the wave of the job (3); the job is an ordinary gate',
    );
    expect([triggers?.completionTime, waves?.completionTime, secrets?.completionTime]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await until('secrets', ({ message }) => message === 'Waiting: not found: Secret nowhere');
    await lab.until('events', async () => {
      const reasons = (await lab.cluster.list(EVENTS, { namespace: NS })).items
        .filter(({ type }) => type === 'Warning')
        .map(({ reason }) => reason);
      return ['InvalidTriggers', 'InvalidBlockWave'].every((reason) => reasons.includes(reason));
    });
    expect(await over('triggers')).toMatchObject({ phase: 'Succeeded' });
    expect(await lab.status(NS, 'triggers')).not.toHaveProperty('triggers');
    expect(await over('waves')).toMatchObject({ phase: 'Succeeded' });
    lab.clock.pass(2 * 60_000);
    const ended = await over('secrets');
    expect([ended.message, condition(ended, 'Failed')]).toEqual([
      expect.stringContaining('CreateContainerConfigError - not found: Secret nowhere'),
      expect.stringMatching(/^True CreateContainerConfigError/),
    ]);
  }, 150_000);

  it('is told apart: a server that does not answer, a text, a kernel that does not exist', async () => {
    await run(
      'unreachable',
      'good.ipynb',
      { retryPolicy: { maxRetries: 1 } },
      {},
      { url: 'http://127.0.0.1:1/none.git' },
    );
    await run('text', 'text.ipynb');
    await run('kernel', 'kernel.ipynb');
    const again = await until('unreachable', ({ retryCount }) => retryCount === 1);
    expect(again.message).toMatch(
      /^Attempt 1 failed: GitNetworkError - git-clone ended with exit code 14: fetch: .*\. Retry 1 of 1 at /,
    );
    expect(again.message).toContain(' fetch: cannot reach http://127.0.0.1:1/none.git: ');
    lab.clock.pass(31_000);
    const [unreachable, text, kernel] = await Promise.all(['unreachable', 'text', 'kernel'].map(over));
    expect(condition(unreachable ?? {}, 'Failed')).toMatch(
      /^True GitNetworkError: Validation failed after 1 retry: GitNetworkError - .*cannot reach/,
    );
    expect(condition(text ?? {}, 'Failed')).toMatch(
      /^True ConfigurationError: .*text\.ipynb is not JSON: Expecting value: line 1 column 1/,
    );
    expect(condition(kernel ?? {}, 'Failed')).toMatch(
      hasJupyter
        ? /^True ConfigurationError: .*kernel "no-such-kernel" is not installed; available: .*python3/
        : /^True ConfigurationError: .*kernel "no-such-kernel" is not installed/,
    );
    expect([text?.retryCount, kernel?.retryCount]).toEqual([undefined, undefined]);
  }, 150_000);

  it('of 50 MB leaves a small status, with the cell that failed in it', async () => {
    await run('large', 'large.ipynb');
    const status = await over('large');
    expect(status).toMatchObject({
      phase: 'Failed',
      results: [
        { status: 'Success', output: expect.stringContaining('characters left out') as string },
        { status: 'Success' },
        { status: 'Failure', errorType: 'ValueError' },
      ],
    });
    expect(JSON.stringify(status).length).toBeLessThan(32_000);
    const log = await lab.cluster.text(
      `/api/v1/namespaces/${NS}/pods/${String(status.validationPodName)}/log?container=validator`,
    );
    expect(log.length).toBeLessThan(2_000_000);
  }, 150_000);

  it('that forks or never ends leaves no process', async () => {
    await run('forks', 'forks.ipynb');
    await run('endless', 'endless.ipynb', { timeout: '10m' });
    expect(await over('forks')).toMatchObject({ phase: 'Succeeded' });
    await until('endless', ({ message }) => message === 'Running cell 1 (1 of 2 done)');
    lab.clock.pass(11 * 60_000);
    const endless = await over('endless');
    expect([condition(endless, 'Failed'), endless.results]).toEqual([
      expect.stringMatching(/^True Timeout: .*cell 1 was running/),
      expect.arrayContaining([expect.objectContaining({ cellIndex: 0, status: 'Success' })]),
    ]);
    await lab.until('no process is left', () => Promise.resolve(processesWith(MARK).length === 0));
  }, 150_000);
});
