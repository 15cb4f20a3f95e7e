import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { NotebookLab } from '../notebook/notebook-lab.js';
import { Ansible, ansibleMissing } from './ansible.js';
import { ARGOCDS, CONFIG_MAPS, type ResourceRef, SECRETS } from '../../src/model/resources/index.js';

// The Ansible roles on the embedded cluster: the first run does the work, the second finds nothing to do.
const ROOT = join(import.meta.dirname, '../..');
const GITEAS: ResourceRef = { group: 'pfe.rhpds.com', version: 'v1', kind: 'Gitea', plural: 'gitea', namespaced: true };
const PASSWORD = 'CANARY-of-gitea';
const THEIRS = { group: 'example.com', kind: 'Thing', check: 'return {status = "Healthy", message = "theirs"}' };
const VARS: JsonObject = {
  validated_patterns_deploy_argocd_name: 'gitops',
  validated_patterns_deploy_argocd_namespace: 'argocd',
  validated_patterns_deploy_delay: 1,
  validated_patterns_secrets_namespace: 'platform',
  validated_patterns_secrets_retries: 120,
  validated_patterns_secrets_delay: 1,
};
const LONG = 300_000;
const absent = ansibleMissing();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const script = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the checks of the role', () => {
  it.each([
    ['pvc-health-check.lua', 'PersistentVolumeClaim.lua'],
    ['inferenceservice-health-check.lua', 'serving.kserve.io_InferenceService.lua'],
  ])('%s is what argosy health apply installs', async (file, ours) => {
    // A role is copied alone, and a package holds no links: `vitest -u` writes the copy after a change there.
    await expect(script(`catalogue/for-argocd/${ours}`)).toMatchFileSnapshot(
      join(ROOT, 'deploy/ansible/roles/validated_patterns_deploy/files', file),
    );
  });
});

describe('the role of secrets', () => {
  const tasks = readOneYaml(script('deploy/ansible/roles/validated_patterns_secrets/tasks/main.yml'), {
    dialect: 'kubernetes',
  });
  const specs = readOneYaml(script('deploy/ansible/roles/validated_patterns_secrets/meta/argument_specs.yml'), {
    dialect: 'kubernetes',
  });

  it('reads the administrator of Gitea, keeps it in a Secret, prints neither, and wants a namespace', () => {
    const seen = isArray(tasks) ? tasks.filter(isObject) : [];
    expect(
      seen.filter(
        (task) => task['kubernetes.core.k8s_info'] !== undefined || task['kubernetes.core.k8s'] !== undefined,
      ),
    ).toMatchObject([
      { 'kubernetes.core.k8s_info': { kind: 'Gitea' }, no_log: true },
      { 'kubernetes.core.k8s': { state: 'present', definition: { kind: 'Secret' } }, no_log: true },
    ]);
    expect(specs).toMatchObject({
      argument_specs: { main: { options: { validated_patterns_secrets_namespace: { required: true } } } },
    });
  });
});

describe.skipIf(absent !== undefined)(absent ?? 'the roles', () => {
  let lab: NotebookLab;
  let ansible: Ansible;
  beforeAll(async () => {
    lab = await NotebookLab.open({ world: { directory: join(ROOT, 'world'), only: ['gitea', 'openshift-router'] } });
    ansible = new Ansible(lab.kubeconfig);
    for (const name of ['gitea', 'platform']) await lab.namespace(name);
  }, LONG);
  afterAll(async () => {
    ansible.close();
    await lab.close();
  });

  const checks = async (): Promise<JsonObject[]> => {
    const argocd = await lab.cluster.get(ARGOCDS, { namespace: 'argocd', name: 'gitops' });
    return isObject(argocd?.spec) && isArray(argocd.spec.resourceHealthChecks)
      ? argocd.spec.resourceHealthChecks.filter(isObject)
      : [];
  };

  it(
    'say what is missing, and change nothing',
    async () => {
      const deploy = await ansible.play(['validated_patterns_deploy'], VARS);
      expect(deploy).toMatchObject({
        changed: 0,
        failed: 1,
        output: expect.stringContaining('There is no ArgoCD gitops in argocd. Install the operator first') as string,
      });
      const secrets = await ansible.play(['validated_patterns_secrets'], {
        ...VARS,
        validated_patterns_secrets_retries: 1,
      });
      expect(secrets).toMatchObject({
        changed: 0,
        failed: 1,
        output: expect.stringContaining(
          'Gitea gitea-with-admin in gitea is not there, or it has no spec.giteaAdminUser',
        ) as string,
      });
    },
    LONG,
  );

  it(
    'do their work once, and nothing the second time',
    async () => {
      await lab.cluster.create(ARGOCDS, {
        apiVersion: 'argoproj.io/v1beta1',
        kind: 'ArgoCD',
        metadata: { name: 'gitops', namespace: 'argocd' },
        spec: {
          disableAdmin: true,
          resourceHealthChecks: [
            { kind: 'PersistentVolumeClaim', check: 'return {status = "Healthy"}' },
            THEIRS,
            { group: '', kind: 'PersistentVolumeClaim', check: 'return {status = "Healthy", message = "again"}' },
          ],
        },
      });
      await lab.cluster.create(GITEAS, {
        apiVersion: 'pfe.rhpds.com/v1',
        kind: 'Gitea',
        metadata: { name: 'gitea-with-admin', namespace: 'gitea' },
        spec: {
          giteaSsl: true,
          giteaAdminUser: 'opentlc-mgr',
          giteaAdminPassword: PASSWORD,
          giteaAdminEmail: 'admin@example.com',
        },
      });
      // Somebody had written it by hand.
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'gitea-credentials-source', namespace: 'platform' },
        stringData: { password: 'wrong', more: 'stays' },
      });
      const roles = ['validated_patterns_deploy', 'validated_patterns_secrets'];
      const first = await ansible.play(roles, VARS);
      expect(first, first.output).toMatchObject({ code: 0, changed: 2, failed: 0 });
      const found = await checks();
      expect(found.map(({ group, kind }) => `${String(group ?? '')}/${String(kind)}`)).toEqual([
        '/PersistentVolumeClaim',
        'example.com/Thing',
        'serving.kserve.io/InferenceService',
      ]);
      expect(found[1]).toEqual(THEIRS);
      const map = await lab.cluster.get(CONFIG_MAPS, { namespace: 'argocd', name: 'argocd-cm' });
      expect(map?.data).toMatchObject({
        'admin.enabled': 'false',
        'resource.customizations.health.PersistentVolumeClaim': script(
          'catalogue/for-argocd/PersistentVolumeClaim.lua',
        ).trimEnd(),
        'resource.customizations.health.example.com_Thing': THEIRS.check,
      });
      const secret = await lab.cluster.get(SECRETS, { namespace: 'platform', name: 'gitea-credentials-source' });
      expect(secret?.data).toEqual({
        username: base64('opentlc-mgr'),
        password: base64(PASSWORD),
        more: base64('stays'),
      });

      const second = await ansible.play(roles, VARS);
      expect(second, second.output).toMatchObject({ code: 0, changed: 0, failed: 0 });
      expect(await checks()).toEqual(found);
      for (const { output } of [first, second])
        expect(output).not.toMatch(new RegExp(`${PASSWORD}|${base64(PASSWORD)}`));
    },
    LONG,
  );
});
