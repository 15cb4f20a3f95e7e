import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, runCommand, type AppLab, type Ran } from '../../../contracts/cli/app-lab.js';
import { CONFIG_MAPS, SECRETS } from '../../model/resources/index.js';

const scratch = mkdtempSync(join(tmpdir(), 'argosy-admin-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};
const settings = (...words: string[]): Promise<Ran> => runCommand(['admin', 'settings', ...words], {});

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
});
afterAll(async () => {
  await lab.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe('admin settings rbac', () => {
  const policy =
    'p, role:dev, applications, sync, shop/*, allow\np, role:dev, applications, *, shop/secret, deny\ng, ' +
    'kim, role:dev\n';
  const csv = file('policy.csv', policy);
  const map = file(
    'rbac.yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-rbac-cm}\ndata:\n  policy.default: ' +
      `role:readonly\n  policy.csv: |\n${policy.replaceAll(/^(?=.)/gm, '    ')}`,
  );

  it('can prints Yes or No, with the policy line that decides', async () => {
    for (const [words, code, out, why] of [
      [
        ['kim', 'sync', 'application', 'shop/web', '--policy-file', csv],
        0,
        'Yes\n',
        `p, role:dev, applications, sync, shop/*, allow (${csv})`,
      ],
      [
        ['kim', 'sync', 'app', 'shop/secret', '--policy-file', csv],
        1,
        'No\n',
        'p, role:dev, applications, *, shop/secret, deny',
      ],
      [['kim', 'get', 'projects', '--policy-file', csv], 1, 'No\n', 'no line allows it'],
      [['kim', 'get', 'projects', 'any', '--policy-file', map], 0, 'Yes\n', 'role:readonly'],
      [['admin', 'delete/*', 'applications', '--policy-file', csv], 0, 'Yes\n', 'the built-in policy'],
      [['admin', 'delete', 'applications', '--policy-file', csv, '--use-builtin-policy=false'], 1, 'No\n', 'no line'],
      [
        ['kim', 'get', 'clusters', 'x', '--policy-file', csv, '--default-role', 'role:readonly'],
        0,
        'Yes\n',
        'role:readonly',
      ],
      [['kim', 'sync', 'applications', 'shop/web', '--policy-file', csv, '-q'], 0, '', ''],
    ] as const)
      expect([words, await settings('rbac', 'can', ...words)]).toEqual([
        words,
        { code, out, err: expect.stringContaining(why) as string },
      ]);
  });

  it('rejects unknown actions and resources in strict mode', async () => {
    expect((await settings('rbac', 'can', 'kim', 'sing', 'applications', '--policy-file', csv)).err).toContain(
      "'sing' is not a valid action for applications; there are create, get, update[/...]",
    );
    expect((await settings('rbac', 'can', 'kim', 'get', '__proto__', '--policy-file', csv)).err).toContain(
      "'__proto__' is not a valid resource name",
    );
    expect((await settings('rbac', 'can', 'kim', 'sync/x', 'applications', '--policy-file', csv)).err).toContain(
      'is not a valid action',
    );
    expect(await settings('rbac', 'can', 'kim', 'sing', 'songs', '--policy-file', csv, '--strict=false')).toMatchObject(
      { code: 1, out: 'No\n' },
    );
    expect((await settings('rbac', 'can', 'kim', 'get', 'apps')).err).toContain(
      'please provide exactly one of --policy-file or --namespace',
    );
  });

  it('validate names the invalid line of a file or of the cluster', async () => {
    expect(await settings('rbac', 'validate', '--policy-file', csv)).toMatchObject({
      code: 0,
      out: 'Policy is valid.\n',
    });
    const bad = file('bad.csv', 'p, a, b\n');
    expect(await settings('rbac', 'validate', '--policy-file', bad)).toMatchObject({
      code: 1,
      out: `Policy is invalid: ${bad} line 1: p, a, b\n`,
    });
    expect((await settings('rbac', 'validate', '--policy-file', file('empty.csv', '\n'))).err).toContain(
      'Policy is empty or could not be loaded.',
    );
    await lab.cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-rbac-cm', namespace: 'argocd' },
      data: { 'policy.csv': policy },
    });
    expect((await lab.run(['admin', 'settings', 'rbac', 'validate', '--namespace', 'argocd'])).out).toBe(
      'Policy is valid.\n',
    );
    expect(
      (await lab.run(['admin', 'settings', 'rbac', 'can', 'kim', 'sync', 'apps', 'shop/a', '-n', 'argocd'])).out,
    ).toBe('Yes\n');
  });
});

describe('admin settings resource-overrides', () => {
  const cm = file(
    'cm.yaml',
    `apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data:
  resource.customizations.ignoreDifferences.apps_Deployment: |
    jsonPointers: [/spec/replicas]
    jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == "side")']
  resource.customizations.ignoreResourceUpdates.apps_Deployment: |
    jsonPointers: [/metadata/annotations/seen]
  resource.customizations.ignoreDifferences.batch_Job: |
    jsonPointers: [/spec/nothing]
`,
  );
  const deployment = file(
    'deployment.yaml',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {seen: now}}\nspec: ' +
      '{replicas: 2, template: {spec: {containers: [{name: web}, {name: side}]}}}\n',
  );
  const tried = async (verb: string, object: string): Promise<string> =>
    (await settings('resource-overrides', verb, object, '--argocd-cm-path', cm)).out;

  it('print the ignored fields', async () => {
    const differences = await tried('ignore-differences', deployment);
    expect(differences).toMatch(/^Following fields are ignored:\n\n/);
    for (const line of ['-  replicas: 2', '-      - name: side']) expect(differences).toContain(line);
    expect(differences).not.toMatch(/^[-+].*name: web/m);
    expect(await tried('ignore-resource-updates', deployment)).toContain('-    seen: now');
  });

  it('report that no fields are ignored', async () => {
    const job = file('job.yaml', 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n');
    expect(await tried('ignore-differences', job)).toBe(
      'No fields are ignored by ignoreDifferences settings: \n/spec/nothing\n/status\n',
    );
    expect(
      (
        await settings(
          'resource-overrides',
          'ignore-differences',
          file('two.yaml', 'apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n'),
          '--argocd-cm-path',
          cm,
        )
      ).err,
    ).toContain('the file must have one object');
  });
});

it('admin initial-password prints the password of Argo CD, or explains that Argosy stores none', async () => {
  expect((await lab.run(['admin', 'initial-password'])).err).toContain(
    'argosy up prints the password once and does not store it',
  );
  await lab.cluster.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'argocd-initial-admin-secret', namespace: 'argocd' },
    stringData: { password: 'first' },
  });
  expect((await lab.run(['admin', 'initial-password'])).out).toMatch(/^first\n\n/);
});
