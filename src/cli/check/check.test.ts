import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand, type Ran } from '../../../contracts/cli/app-lab.js';

const CASES = join(import.meta.dirname, 'cases');
const scratch = mkdtempSync(join(tmpdir(), 'argosy-check-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

interface Answer {
  readonly applications: readonly {
    readonly name: string;
    readonly lines: readonly { readonly rule: string; readonly state: string }[];
  }[];
  readonly summary: object;
}

/** A case as a checkout of its repository; the command looks at its folder of Applications. */
async function check(name: string, ...flags: string[]): Promise<Ran> {
  const root = join(scratch, name);
  cpSync(join(CASES, name), root, { recursive: true });
  mkdirSync(join(root, '.git'), { recursive: true });
  writeFileSync(
    join(root, '.git/config'),
    '[remote "origin"]\n\turl = https://git.example.com/platform.git\n[remote "ssh"]\n\turl = ' +
      'git@git.example.com:platform.git\n',
  );
  const { code, out, err } = await runCommand(['check', join(root, 'apps'), ...flags], {});
  return { code, err, out: out.replaceAll(`${root}/`, '') };
}

describe('argosy check of a folder', () => {
  it.each(readdirSync(CASES))('%s', async (name) => {
    const { code, out, err } = await check(name);
    expect(err).toBe('');
    expect(out).not.toContain('hunter2');
    await expect(`${out}exit ${code}\n`).toMatchFileSnapshot(join(CASES, name, 'expect.txt'));
  });

  it('prints JSON', async () => {
    const { code, out } = await check('a-folder-in-which-everything-holds', '-o', 'json');
    const answer = JSON.parse(out) as Answer;
    expect(code).toBe(0);
    expect(answer.applications.map(({ name, lines }) => [name, lines.length])).toEqual([['web', 15]]);
    expect(answer.summary).toEqual({
      applications: 1,
      holds: 12,
      fails: 0,
      accepted: 0,
      advised: 0,
      unchecked: 3,
      accepts: { OutOfSync: 0, SharedResourceWarning: 0 },
    });
  });

  it('--strict treats unchecked rules as failures', async () => {
    expect((await check('a-folder-in-which-everything-holds', '--strict')).code).toBe(1);
  });

  const states = async (rule: string, ...flags: string[]): Promise<string[]> => {
    const { out } = await check('a-folder-of-applications-with-their-sources', ...flags, '-o', 'json');
    return (JSON.parse(out) as Answer).applications.flatMap(({ lines }) =>
      lines.filter((line) => line.rule === rule).map(({ state }) => state),
    );
  };

  it('accepts labels and branches of production', async () => {
    expect(await states('branch')).toEqual(['holds', 'fails']);
    expect(await states('branch', '--branch', 'main', '--branch', 'stage1-complete')).toEqual(['holds', 'holds']);
    expect(await states('branch', '--production', 'stage=production')).toEqual(['holds', 'holds']);
  });

  it('reads docs that explain rules', async () => {
    const page = join(scratch, 'page.md');
    writeFileSync(page, 'nothing');
    expect(await states('documented')).toEqual(['holds', 'holds']);
    expect(await states('documented', '--docs', page)).toEqual(['holds', 'fails']);
  });

  it('reports invalid arguments in one sentence', async () => {
    const empty = join(scratch, 'empty');
    mkdirSync(empty, { recursive: true });
    expect(await runCommand(['check', empty], {})).toEqual({
      code: 20,
      out: '',
      err: `argosy: no Application in ${empty} (${empty}). See --help\n`,
    });
    expect(await runCommand(['check'], {})).toEqual({
      code: 20,
      out: '',
      err: 'argosy: name an application or a folder, or say --all. See --help\n',
    });
    expect(await runCommand(['check', 'web', '--all'], {})).toEqual({
      code: 20,
      out: '',
      err: 'argosy: name an application or a folder, or say --all: not both. See --help\n',
    });
    const broken = join(CASES, 'a-folder-that-is-not-there-on-the-branch/apps/broken.yaml');
    expect((await runCommand(['check', broken], {})).code).toBe(20);
    expect((await runCommand(['check', empty, '--production', '=='], {})).code).toBe(20);
    expect(
      (
        await runCommand(
          ['check', join(CASES, 'a-folder-in-which-everything-holds/apps'), '--docs', join(scratch, 'absent')],
          {},
        )
      ).code,
    ).toBe(20);
  });
});
