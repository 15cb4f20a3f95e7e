import { expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readJob, type NotebookJob } from '../../notebook/index.js';
import type { RepositoryAccess } from '../../source/index.js';
import { NotebookCommits } from './notebook-commits.js';

const PERIOD = 120_000;

function jobWith(annotations: Readonly<Record<string, string>>, credentialsSecret = ''): NotebookJob {
  return readJob({
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: { namespace: 'ml', name: 'train', uid: 'u-1', generation: 1, annotations },
    spec: { notebook: { git: { url: 'https://git.example.com/ml', ref: 'main', credentialsSecret }, path: 'a.ipynb' } },
  });
}

/** A git server that answers when it is told to. */
function lab(secret?: KubeObject) {
  let now = 0;
  const asked: {
    readonly ref: string;
    readonly access: RepositoryAccess;
    answer(commit: string): void;
    fail(): void;
  }[] = [];
  const [queued, reported]: [string[], string[]] = [[], []];
  const commits = new NotebookCommits({
    cluster: { get: () => Promise.resolve(secret) },
    now: () => now,
    resolve: (_, ref, access) =>
      new Promise((answer, reject) => {
        asked.push({ ref, access, answer, fail: () => reject(new Error('it does not answer')) });
      }),
    period: () => PERIOD,
    requeue: (key) => queued.push(key),
    report: (key) => reported.push(key),
  });
  const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
  return { commits, asked, queued, reported, settle, pass: (milliseconds: number) => (now += milliseconds) };
}

it('asks nothing for a job that does not want it', () => {
  const { commits, asked } = lab();
  expect(commits.commitOf('ml/train', jobWith({}))).toEqual({ commit: undefined, waits: false });
  expect(asked).toEqual([]);
});

it('asks once, and again after the period or when somebody asks for it', async () => {
  const { commits, asked, queued, settle, pass } = lab();
  const job = jobWith({ 'mlops.dev/rerun-on': 'commit' });
  expect(commits.commitOf('ml/train', job)).toEqual({ commit: undefined, waits: true });
  commits.commitOf('ml/train', job);
  await settle();
  expect(asked).toHaveLength(1);
  asked[0]?.answer('aaa');
  await settle();
  expect(queued).toEqual(['ml/train']);
  expect(commits.commitOf('ml/train', job)).toEqual({ commit: 'aaa', waits: false });
  expect(commits.nextLook(job)).toBe(PERIOD);
  pass(PERIOD);
  expect(commits.commitOf('ml/train', job).commit).toBe('aaa');
  await settle();
  expect(asked).toHaveLength(2);
  asked[1]?.answer('bbb');
  await settle();
  const pushed = jobWith({ 'mlops.dev/rerun-on': 'commit', 'mlops.dev/refresh': '2026-01-01T00:00:00Z' });
  expect(commits.commitOf('ml/train', pushed).commit).toBe('bbb');
  await settle();
  expect(asked).toHaveLength(3);
});

it('keeps what it knows while the git server does not answer', async () => {
  const { commits, asked, reported, settle, pass } = lab();
  const job = jobWith({ 'mlops.dev/rerun-on': 'commit' });
  commits.commitOf('ml/train', job);
  await settle();
  asked[0]?.answer('aaa');
  await settle();
  pass(PERIOD);
  commits.commitOf('ml/train', job);
  await settle();
  asked[1]?.fail();
  await settle();
  expect(commits.commitOf('ml/train', job)).toEqual({ commit: 'aaa', waits: false });
  expect(reported).toEqual(['ml/train']);
});

it('opens the repository with the Secret of the job', async () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const { commits, asked, settle } = lab({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'git' },
    data: { username: encoded('reader'), token: encoded('not-a-real-token') },
  });
  commits.commitOf('ml/train', jobWith({ 'mlops.dev/rerun-on': 'commit' }, 'git'));
  await settle();
  expect(asked[0]?.access).toEqual({ username: 'reader', password: 'not-a-real-token' });
});
