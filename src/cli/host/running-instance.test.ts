import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { writeRunFile } from '../up/write-run-file.js';

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  await lab.create('billing', { namespace: 'team' });
});
afterAll(() => lab.close());

it('an empty list says where it looked, and where Applications are', async () => {
  const { code, err } = await lab.run(['app', 'list']);
  expect([code, err]).toEqual([
    0,
    'no Applications in namespace argocd; there are Applications in team (1): name one with --control-namespace ' +
      'or -N\n',
  ]);
});

it('the namespace of the control plane is that of the running instance, unless somebody names another', async () => {
  await writeRunFile(dirname(lab.kubeconfig), { web: 'http://localhost:1', namespace: 'team', profile: 'openshift' });
  expect((await lab.run(['app', 'list', '-o', 'name'])).out).toBe('team/billing\n');
  expect((await lab.run(['app', 'list', '-o', 'name', '--namespace', 'shop'])).out).toBe('');
  const environment = { ARGOSY_NAMESPACE: 'argocd' };
  expect((await lab.run(['app', 'list', '-o', 'name'], { environment })).out).toBe('');
});
