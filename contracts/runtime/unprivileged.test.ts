import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectsAt, textAt, type JsonObject } from '../../src/model/json/index.js';
import { EscapeLab } from './escape-lab.js';

const SERVE = join(import.meta.dirname, '../../src/apiserver/testing/serve.ts');
/** Somebody who is not root and owns nothing. */
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', '--'];
/** A race is short here: `npm run prove -- pod-escapes` runs long ones. */
const TRIES = 20;

function asNobody(data: string, ...words: string[]): ChildProcess {
  const [program = '', ...before] = AS_NOBODY;
  return spawn(program, [...before, process.execPath, '--import', 'tsx', SERVE, data, ...words], {
    env: { PATH: process.env['PATH'], HOME: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Why it cannot be tried here, or undefined. */
function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root becomes somebody else';
  const [program = '', ...words] = [
    ...AS_NOBODY,
    'bwrap',
    '--unshare-user',
    '--dev-bind',
    '/',
    '/',
    'python3',
    '-c',
    '',
  ];
  const { error, status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : stderr.trim();
}

const why = whyNot();
const skipped = why === undefined ? '' : ` (skipped: ${why.replaceAll(/[()]/g, '')})`;

describe.skipIf(why !== undefined)(`a server that is not root${skipped}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'argosy-unprivileged-'));
  let lab: EscapeLab;

  const folderOfNobody = (data: string): void => {
    // Whoever is not root needs a way there.
    chmodSync(dirname(data), 0o711);
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, NOBODY, NOBODY);
  };
  beforeAll(async () => {
    lab = await EscapeLab.open(async (data) => {
      folderOfNobody(data);
      const child = asNobody(data, 'laptop');
      await once(child.stdout as NodeJS.EventEmitter, 'data');
      return {
        kubeconfig: join(data, 'kubeconfig'),
        user: NOBODY,
        close: async () => {
          const gone = once(child, 'exit');
          child.kill('SIGTERM');
          await gone;
        },
      };
    });
  });
  afterAll(async () => {
    await lab.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('does not start with images that anybody may use, and says which walls are missing', async () => {
    const data = join(scratch, 'refused');
    folderOfNobody(data);
    const child = asNobody(data);
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
    await once(child, 'close');
    expect(said).toMatch(
      /WALLS_MISSING[^]*this machine cannot confine pods: it lacks user \(the server is not root\); limits of memory, pids/,
    );
    expect(existsSync(join(data, 'kubeconfig'))).toBe(false);
  });

  it('gives a pod nothing of this machine', async () => {
    const within = await lab.fromWithin();
    expect(within.escaped).toEqual([]);
    expect(within.tried).toBeGreaterThan(60);
    expect((await lab.fromSpecs()).escaped).toEqual([]);
    expect((await lab.raceOnPaths(TRIES)).escaped).toEqual([]);
    expect((await lab.raceOfPods(TRIES)).escaped).toEqual([]);
    expect(lab.contacts).toEqual([]);
  });

  it('says in the status of a pod which walls it has not', async () => {
    await lab.lab.pod('confined', { command: ['true'] });
    const status = await lab.lab.ended('confined');
    const confined = objectsAt(status, 'conditions').find(({ type }: JsonObject) => type === 'argosy.dev/Confined');
    expect(textAt(confined ?? {}, 'status')).toBe('False');
    expect(textAt(confined ?? {}, 'message')).toMatch(/user \(the server is not root\); limits of memory, pids/);
  });
});
