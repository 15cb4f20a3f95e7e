import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../model/faults/index.js';
import { isRunning, startOf } from './sandbox/processes.js';
import { realTimer, treeOf } from './testing/tree.js';
import { Tools, type ToolResult, type ToolRun, type ToolsOptions } from './tools.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-tools-test-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
let directory = '';
let count = 0;
beforeEach(() => {
  directory = join(root, String(++count));
});

const SHELL = '/bin/sh';
const TREE = treeOf({
  'app/a.txt': 'hello\n',
  'app/run.sh': { text: '#!/bin/sh\n', executable: true },
  'app/link': { link: '../other/b.txt' },
  'other/b.txt': 'there\n',
});

function open(options: Partial<ToolsOptions> = {}): Promise<Tools> {
  return Tools.open({ named: [`sh=${SHELL}`], directory, after: realTimer, ...options });
}

/** Runs a shell script as a tool, which is what an administrator's program may do. */
async function script(
  text: string,
  options: Partial<ToolsOptions> = {},
  more: Partial<ToolRun> = {},
): Promise<ToolResult> {
  const tools = await open(options);
  return tools.withTree(TREE, '', (run) =>
    run({
      tool: 'script',
      program: tools.pathOf('sh'),
      args: () => Promise.resolve(['-c', text]),
      path: 'app',
      ...more,
    }),
  );
}

async function faultOf(act: Promise<unknown>): Promise<Fault> {
  const error = await act.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Fault)) throw new Error(`no fault but ${String(error)}`);
  return error;
}

describe('a program', () => {
  it('sees its folder of the tree, with links and the right to run', async () => {
    const { output } = await script(
      'read -r x < a.txt; echo "$x"; read -r x < link; echo "$x"; [ -x run.sh ] && echo runs; [ -x a.txt ] ' +
        '|| echo plain',
    );
    expect(output.toString()).toBe('hello\nthere\nruns\nplain\n');
  });

  it('has almost no environment, and what it is given', async () => {
    const { output } = await script('export -p', {}, { environment: { GIVEN: 'yes' } });
    const names = [...output.toString().matchAll(/^(?:export |declare -x )(\w+)/gm)]
      .map(([, name]) => name)
      .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? ''));
    expect(names.sort()).toEqual(['GIVEN', 'HOME', 'LANG', 'TMPDIR']);
  });

  it('has a folder that only we may read, and that is gone afterwards', async () => {
    const tools = await open();
    await tools.withTree(TREE, '', () => {
      const [name = ''] = readdirSync(directory);
      expect([directory, join(directory, name)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
      return Promise.resolve();
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is removed even where it takes rights away', async () => {
    await script('mkdir deep && echo x > deep/x && chmod 000 deep', {}, { environment: { PATH: '/usr/bin:/bin' } });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is ended with its children when its time is over', async () => {
    let ring = (): void => undefined;
    const after: ToolsOptions['after'] = (_, act) => {
      ring = act;
      return () => undefined;
    };
    const note = join(root, 'child');
    const failed = faultOf(
      script(
        `sleep 1000 & echo $! > ${note}; : > ${note}.ready; wait`,
        { after },
        { environment: { PATH: '/usr/bin:/bin' } },
      ),
    );
    await until(() => existsSync(`${note}.ready`));
    const child = Number(readFileSync(note, 'utf8'));
    ring();
    expect((await failed).message).toContain('was ended after 90 seconds');
    await until(async () => !(await isAlive(child)));
  });

  it('takes its children with it when it ends by itself', async () => {
    const note = join(root, 'left');
    const { output } = await script(
      `sleep 1000 & echo $! > ${note}; echo done`,
      {},
      { environment: { PATH: '/usr/bin:/bin' } },
    );
    expect(output.toString()).toBe('done\n');
    await until(async () => !(await isAlive(Number(readFileSync(note, 'utf8')))));
  });

  it('is ended when it prints too much', async () => {
    expect(
      (
        await faultOf(
          script('while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done', { limits: { outputBytes: 10_000 } }),
        )
      ).message,
    ).toBe('script was ended because it printed more than 10000 bytes');
  });

  it('tells what it complained about, not where the copy was', async () => {
    const fault = await faultOf(script('echo "bad file $PWD/a.txt" >&2; exit 3'));
    expect(fault).toMatchObject({ code: 'TOOL_FAILED', message: 'script failed: bad file app/a.txt', where: 'app' });
    expect((await faultOf(script('exit 3'))).message).toBe('script failed and said nothing');
  });

  it('waits for its turn', async () => {
    const tools = await open({ limits: { runs: 1 } });
    const order: string[] = [];
    const run = (name: string): Promise<void> =>
      tools.withTree(TREE, '', () => {
        order.push(`${name} starts`);
        return Promise.resolve().then(() => {
          order.push(`${name} ends`);
        });
      });
    await Promise.all([run('first'), run('second')]);
    expect(order).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
  });
});

describe('after a crash', () => {
  it('folders and programs of a process that is gone are cleared away, those of a living one stay', async () => {
    const child = spawn(SHELL, ['-c', 'echo up; exec sleep 1000'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => {
      child.stdout.once('data', resolve);
    });
    const ended = new Promise((resolve) => {
      child.once('exit', (_, signal) => {
        resolve(signal);
      });
    });
    const pid = child.pid ?? 0;
    const mine = `run-${process.pid}-${(await startOf(process.pid)) ?? ''}-alive`;
    // The same number, begun at another time: somebody else by now.
    for (const name of [`run-${process.pid}-1-gone`, mine, 'notes'])
      mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    writeFileSync(join(directory, `run-${process.pid}-1-gone`, 'group'), `${pid} ${(await startOf(pid)) ?? ''}\n`);
    await open();
    expect(await ended).toBe('SIGKILL');
    expect(readdirSync(directory).sort()).toEqual(['notes', mine].sort());
  });

  it('a directory that others may write to is refused', async () => {
    mkdirSync(directory);
    chmodSync(directory, 0o777);
    expect((await faultOf(script('exit 0'))).code).toBe('DATA_UNUSABLE');
  });
});

describe('names', () => {
  it.each([
    ['jsonnet', 'USAGE'],
    ['jsonnet=bin/jsonnet', 'USAGE'],
    ['=/bin/sh', 'USAGE'],
    ['a/b=/bin/sh', 'USAGE'],
    ['x=/nonexistent', 'TOOL_MISSING'],
    ['x=/bin', 'TOOL_MISSING'],
    [`x=${join(import.meta.dirname, 'index.ts')}`, 'TOOL_MISSING'],
  ])('%s is refused', async (text, code) => {
    expect((await faultOf(open({ named: [text] }))).code).toBe(code);
  });

  it('are given once, and only by flags', async () => {
    expect((await faultOf(open({ named: ['a=/bin/sh', 'a=/bin/sh'] }))).message).toContain('named twice');
    expect((await open()).has('sh')).toBe(true);
    const tools = await open();
    expect(() => tools.pathOf('/bin/sh')).toThrow('no program is configured');
  });
});

describe('the copy', () => {
  it.each([
    ['an absolute link', { a: { link: '/etc/passwd' } }],
    ['a link that climbs out', { 'a/b': { link: '../../x' } }],
    ['a link whose end depends on another link', { 'd/b': { link: '../r' }, 'd/a': { link: 'b/../../x' }, 'r/x': '' }],
    ['a name that is a path', { '..': '' }],
  ])('refuses %s', async (_, files) => {
    const tools = await open();
    expect((await faultOf(tools.withTree(treeOf(files), '', () => Promise.resolve()))).code).toBe('RENDER_PATH_ESCAPE');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('has limits, and needs its content', async () => {
    const tools = await open({ limits: { treeBytes: 10, entries: 2 } });
    expect((await faultOf(tools.withTree(treeOf({ a: 'x'.repeat(11) }), '', () => Promise.resolve()))).code).toBe(
      'RENDER_LIMIT',
    );
    expect((await faultOf(tools.withTree(treeOf({ a: '', b: '', c: '' }), '', () => Promise.resolve()))).code).toBe(
      'RENDER_LIMIT',
    );
    expect(
      (await faultOf(tools.withTree(treeOf({ a: { unloaded: true } }), '', () => Promise.resolve()))).message,
    ).toContain('not fetched');
  });
});

async function isAlive(pid: number): Promise<boolean> {
  const text = await startOf(pid);
  return (
    text !== undefined &&
    !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, { encoding: 'utf8', flag: 'r' })) &&
    isRunning(pid, '')
  );
}

/** Looks again and again; the runner's own limit ends a wait that is in vain. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds()))
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
