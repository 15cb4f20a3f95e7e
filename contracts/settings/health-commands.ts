import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCrds, readCrds } from '../../src/control/index.js';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { runCommand, type Ran } from '../cli/app-lab.js';
import { GitRepository } from '../harness/git-repository.js';
import { type SettingsLab } from './settings-lab.js';
import {
  APPLICATIONS,
  ARGOCDS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  INFERENCE_SERVICES,
} from '../../src/model/resources/index.js';

const KSERVE = join(import.meta.dirname, '../../world/controllers/kserve');
const NAME = 'dev-qwen25-05b-instruct';
const FROM_FOLDER =
  'if obj.status == nil then return {status = "Progressing"} end return {status = "Suspended", message = ' +
  '"judged by the folder"}';
const RULE = '='.repeat(42);
const THEIRS = 'if obj.status == nil then return {status = "Progressing"} end return {status = "Healthy"}';

/** A cluster with our controller, an application with a model server, and the command line. */
class HealthKit {
  readonly folder = mkdtempSync(join(tmpdir(), 'argosy-checks-'));
  #repository: GitRepository | undefined;

  constructor(private readonly labOf: () => SettingsLab) {}

  get lab(): SettingsLab {
    return this.labOf();
  }

  async open(): Promise<void> {
    const { cluster } = this.lab;
    await installCrds(
      cluster,
      (await readCrds(KSERVE, ['crds.yaml'])).filter(
        ({ metadata }) => metadata.name === 'inferenceservices.serving.kserve.io',
      ),
    );
    await this.lab.namespace('llmops-dev');
    const repository = await GitRepository.open('/', [], (text) => text);
    this.#repository = repository;
    await repository.write(
      'dev/service.yaml',
      `apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: ${NAME}, namespace: ` +
        'llmops-dev}\nspec: {predictor: {model: {modelFormat: {name: vLLM}}}}\n',
    );
    await repository.commit();
    await cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace: 'argocd', name: 'llmops-dev' },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: 'dev', targetRevision: 'master' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'llmops-dev' },
        syncPolicy: { automated: {} },
      },
    });
    await this.lab.until('the service', () => cluster.get(INFERENCE_SERVICES, { namespace: 'llmops-dev', name: NAME }));
    await cluster.patch(
      INFERENCE_SERVICES,
      { namespace: 'llmops-dev', name: NAME },
      {
        type: 'merge',
        body: {
          status: {
            url: 'https://dev.example.com',
            conditions: [
              { type: 'Ready', status: 'True' },
              { type: 'Stopped', status: 'False' },
            ],
          },
        },
      },
      { subresource: 'status' },
    );
    await this.lab.argocd('argocd', 'gitops', {
      resourceHealthChecks: [
        { group: 'apps', kind: 'Thing', check: THEIRS },
        { group: 'serving.kserve.io', kind: 'InferenceService', check: THEIRS },
      ],
      server: { insecure: true },
    });
  }

  async close(): Promise<void> {
    await this.#repository?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  run(argv: readonly string[], answer?: boolean): Promise<Ran> {
    return runCommand(['health', ...argv, '--kubeconfig', this.lab.kubeconfig], {
      now: Date.now,
      ...(answer === undefined ? {} : { confirm: () => Promise.resolve(answer) }),
    });
  }

  async checks(): Promise<JsonObject[]> {
    const argocd = await this.lab.cluster.get(ARGOCDS, { namespace: 'argocd', name: 'gitops' });
    return isObject(argocd?.spec) && isArray(argocd.spec.resourceHealthChecks)
      ? argocd.spec.resourceHealthChecks.filter(isObject)
      : [];
  }
}

/** `argosy health apply` and `argosy health verify` on a cluster with our controller. */
export function healthCommands(labOf: () => SettingsLab): void {
  describe('argosy health apply and verify', () => {
    const kit = new HealthKit(labOf);
    beforeAll(() => kit.open());
    afterAll(() => kit.close());
    asks(kit);
    merges(kit);
    verifies(kit);
    takesFolders(kit);
    writesMaps(kit);
    findsTroubles(kit);
    findsWhoRests(kit);
  });
}

function asks(kit: HealthKit): void {
  it('asks before it replaces a check, and changes nothing where the answer is no', async () => {
    const { code, out } = await kit.run(['apply', '-n', 'argocd'], false);
    expect(code).toBe(1);
    expect(out).toContain('✓ ArgoCD CR gitops found in argocd');
    expect(out).toContain(
      '! configured with another script: InferenceService (serving.kserve.io)\nNothing was changed. --force ' +
        'replaces without a prompt.\n',
    );
    expect(await kit.checks()).toHaveLength(2);
  });
}

function merges(kit: HealthKit): void {
  it('merges the list by group and kind, waits for the operator, and prints how applications are then', async () => {
    const { code, out, err } = await kit.run(['apply', '--force', '-n', 'argocd']);
    expect(code, out + err).toBe(0);
    expect(out.match(/^Step \d: .*$/gm)?.map((line) => line.slice(0, 7))).toEqual([
      'Step 1:',
      'Step 2:',
      'Step 3:',
      'Step 4:',
      'Step 5:',
      'Step 6:',
      'Step 7:',
      'Step 8:',
    ]);
    expect(out).toContain('✓ 6 checks written, 1 existing kept');
    expect(out.split('\n').slice(-6).join('\n')).toBe(
      `${RULE}\nCurrent Application Status:\n${RULE}\nNAME         SYNC STATUS   HEALTH STATUS\nllmops-dev  ` +
        ' Synced        Healthy\n',
    );
    expect((await kit.checks()).map(({ kind }) => kind).sort()).toEqual([
      'ClusterServingRuntime',
      'InferenceService',
      'NotebookValidationJob',
      'PersistentVolumeClaim',
      'ServingRuntime',
      'Thing',
      'TrainedModel',
    ]);
    expect(await kit.run(['apply', '-n', 'argocd'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('✓ already configured: PersistentVolumeClaim, ') as string,
    });
  });
}

function verifies(kit: HealthKit): void {
  it('verify prints its four steps, and wants a namespace where there is more than one', async () => {
    const { code, out } = await kit.run(['verify', '-n', 'argocd']);
    expect(out).toBe(
      [
        RULE,
        'Verifying ArgoCD Health Check Configuration',
        RULE,
        '',
        'Step 1: Checking if health check is in ArgoCD CR...',
        '✓ resourceHealthChecks found in ArgoCD CR',
        '✓ InferenceService health check found in ArgoCD CR',
        '',
        'Step 2: Checking if health check propagated to ConfigMap...',
        '✓ Health check successfully propagated to ConfigMap',
        '',
        'Step 3: Checking ArgoCD application health status...',
        '',
        'NAME         SYNC STATUS   HEALTH STATUS',
        'llmops-dev   Synced        Healthy',
        '',
        'Step 4: Checking InferenceService status...',
        '',
        'Namespace: llmops-dev',
        'NAME                      URL                       READY',
        `${NAME}   https://dev.example.com   True`,
        '',
        RULE,
        'Verification Complete',
        RULE,
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
    expect(await kit.run(['verify'])).toMatchObject({
      code: 20,
      err: expect.stringMatching(/there are ArgoCDs in the namespaces argocd, .*: name one with -n/) as string,
    });
    expect(await kit.run(['verify', '--name', 'gitops'])).toMatchObject({ code: 0 });
  });
}

function takesFolders(kit: HealthKit): void {
  it('installs the checks of a folder, without a restart of the controller; nothing if one cannot run', async () => {
    mkdirSync(join(kit.folder, 'serving.kserve.io/InferenceService'), { recursive: true });
    writeFileSync(join(kit.folder, 'serving.kserve.io/InferenceService/health.lua'), FROM_FOLDER);
    const before = await kit.checks();
    writeFileSync(join(kit.folder, 'example.com_Broken.lua'), 'hs = {');
    expect(await kit.run(['apply', '--force', '-n', 'argocd', '--dir', kit.folder])).toMatchObject({
      code: 20,
      out: '',
      err: expect.stringMatching(
        /the check cannot be installed: The script cannot be read .*example\.com_Broken\.lua:1/,
      ) as string,
    });
    expect(await kit.checks()).toEqual(before);
    writeFileSync(join(kit.folder, 'example.com_Broken.lua'), THEIRS);
    const { code, out } = await kit.run(['apply', '--force', '-n', 'argocd', '--dir', kit.folder]);
    expect(code).toBe(0);
    expect(await kit.checks()).toHaveLength(8);
    expect(out).toMatch(/llmops-dev {3}Synced {8}Suspended\n$/);
  });
}

function writesMaps(kit: HealthKit): void {
  it('an argocd-cm that nobody owns gets single keys, and the hint to restart', async () => {
    const ns = await kit.lab.namespace('plain');
    await kit.lab.cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: ns, name: 'argocd-cm' },
      data: { url: 'https://argocd.example.com' },
    });
    const { code, out } = await kit.run(['apply', '-n', ns]);
    expect(code).toBe(0);
    expect(out).toContain('✓ 6 keys written, all others unchanged');
    expect(out).toContain(`kubectl rollout restart deployment argocd-server -n ${ns}`);
    const data = (await kit.lab.map(ns))?.data;
    expect(Object.keys(isObject(data) ? data : {})).toHaveLength(7);
    expect(data).toMatchObject({ url: 'https://argocd.example.com' });
  });
}

function findsTroubles(kit: HealthKit): void {
  it('verify names an edit that was taken back, and a check that was refused', async () => {
    await kit.lab.change('argocd', 'gitops', {
      resourceHealthChecks: [{ group: 'serving.kserve.io', kind: 'InferenceService', check: 'hs = {' }],
    });
    await kit.lab.untilCondition('argocd', 'gitops', 'ChecksValid', { status: 'False' });
    // After the change of the resource: an edit that was taken back before it is history.
    await kit.lab.cluster.patch(
      CONFIG_MAPS,
      { namespace: 'argocd', name: 'argocd-cm' },
      { type: 'merge', body: { data: { url: 'https://argocd.example.com' } } },
    );
    await kit.lab.until('the edit that was taken back', async () =>
      (await kit.run(['verify', '-n', 'argocd'])).out.includes('spec.extraConfig["url"]'),
    );
    const { code, out } = await kit.run(['verify', '-n', 'argocd']);
    expect(code).toBe(1);
    expect(out).toMatch(/✗ spec\.resourceHealthChecks\[0\], line 1: The script cannot be read/);
    expect(out).toContain(
      '✗ InferenceService (serving.kserve.io) has another script in argocd-cm\n  fix: the operator rejected it: ',
    );
    expect(out).toMatch(/✗ an edit of argocd-cm was reverted, the last one: .*spec\.extraConfig\["url"\]/);
    expect(out).toContain('Verification Complete: 3 problems found');
  });
}

function findsWhoRests(kit: HealthKit): void {
  it('verify names checks that nobody applies, an operator that is down, and applications not reconciled', async () => {
    const { lab } = kit;
    await lab.restart(async () => {
      await lab.change('argocd', 'gitops', {
        resourceHealthChecks: [
          { group: 'serving.kserve.io', kind: 'InferenceService', check: FROM_FOLDER },
          { group: 'apps', kind: 'Other', check: THEIRS },
        ],
      });
      await lab.cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: 'llmops-dev' },
        { type: 'merge', body: { status: { health: { status: 'Progressing' } } } },
      );
      const { code, out } = await kit.run(['verify', '-n', 'argocd']);
      expect(code, out).toBe(1);
      expect(out).toContain(
        '✗ no operator is running: neither that of Argo CD nor the controller of Argosy\n  fix: install the ' +
          'operator, or start argosy controller',
      );
      expect(out).toContain('✗ Other (apps) is not in argocd-cm');
      expect(out).toContain(
        '✗ llmops-dev is still Progressing although its InferenceServices are ready\n  fix: kubectl ' +
          'annotate application.argoproj.io llmops-dev -n argocd --overwrite argocd.argoproj.io/refresh=hard',
      );
      const id = { namespace: 'argocd', name: 'argocd-operator-controller-manager' };
      const labels = { app: 'operator' };
      const operator = await lab.cluster.create(DEPLOYMENTS, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: id,
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'manager', image: 'quay.io/argoprojlabs/argocd-operator:v0.15.0' }] },
          },
        },
      });
      expect((await kit.run(['verify', '-n', 'argocd'])).out).toContain(
        '✗ the operator has no ready replica: Deployment argocd/argocd-operator-controller-manager\n  fix: ' +
          'kubectl describe deployment -n argocd argocd-operator-controller-manager, and its logs',
      );
      await lab.cluster.remove(DEPLOYMENTS, id, { uid: operator.metadata.uid ?? '' });
    });
    await lab.until(
      'the operator is back',
      async () =>
        isObject((await lab.map('argocd'))?.data) &&
        JSON.stringify((await lab.map('argocd'))?.data).includes('apps_Other'),
    );
    const { out } = await kit.run(['verify', '-n', 'argocd']);
    expect(out).not.toContain('no operator is at work');
    expect(out).not.toContain('is not in argocd-cm');
  }, 60_000);
}
