import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argoCdModule } from '../argocd/module.js';
import { readOptions, readSamples } from './case.js';
import { GitRepository } from '../harness/git-repository.js';
import { simulateCommands } from './simulate.js';

const module = argoCdModule();
const POD =
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - command:\n    - "COMMAND"\n   ' +
  ' name: main\n  restartPolicy: Never\n';

describe.skipIf(module === undefined)('the table of samples', () => {
  const e2e = join(module ?? '', 'test/e2e');
  const samples = readSamples(join(e2e, 'testdata'));

  it('names tests that Argo CD has, and folders that it delivers', () => {
    const source = readdirSync(e2e)
      .filter((file) => file.endsWith('_test.go'))
      .map((file) => readFileSync(join(e2e, file), 'utf8'))
      .join('\n');
    const tests = samples.map((one) => /^Test\w+/.exec(one.name)?.[0]).filter((name) => name !== undefined);
    expect(tests.filter((name) => !source.includes(`func ${name}(`))).toEqual([]);
    expect(
      samples.flatMap((one) => one.folders).filter((folder) => !existsSync(join(e2e, 'testdata', folder))),
    ).toEqual([]);
  });

  it('has at least 40 folders, and no name twice', () => {
    expect(new Set(samples.flatMap((one) => one.folders)).size).toBeGreaterThanOrEqual(40);
    const names = [...samples, ...readOptions()].map((one) => one.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

it('a repository has the files of its folders, with what a case changes in them', async () => {
  const root = join(import.meta.dirname, 'options/PruneLast-prunes-after-the-last-wave');
  const repository = await GitRepository.open(root, ['repo'], (text) => text);
  try {
    const first = await repository.commit();
    await repository.patch('repo/cm.yaml', [{ op: 'add', path: '/data/more', value: 'x' }]);
    await repository.remove('repo/old.yaml');
    await repository.write('repo/new/a.yaml', 'a: b\n');
    expect(await repository.commit()).not.toBe(first);
    expect((await repository.git('ls-tree', '-r', '--name-only', 'HEAD')).split('\n')).toEqual([
      'repo/cm.yaml',
      'repo/new/a.yaml',
    ]);
    expect(await repository.git('show', 'HEAD:repo/cm.yaml')).toContain('more: x');
    expect(await repository.commit()).toBe(await repository.git('rev-parse', 'HEAD'));
  } finally {
    await repository.close();
  }
});

it('pods say what their commands would do, for a cluster that runs none', () => {
  expect(simulateCommands(POD.replace('COMMAND', 'true'))).toBe(POD.replace('COMMAND', 'true'));
  expect(simulateCommands(POD.replace('COMMAND', 'false'))).toContain(`argosy.dev/simulate: '{"main":{"exitCode":1}}'`);
  expect(simulateCommands(POD.replace('COMMAND', 'sleep 3'))).toContain('"after":"3s"');
  const once = simulateCommands(POD.replace('COMMAND', 'false'));
  expect(simulateCommands(once)).toBe(once);
});
