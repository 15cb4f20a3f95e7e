import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollDelays } from '../harness/poll-delays.js';
import type { Cluster } from '../../src/cluster/index.js';
import { Metrics } from '../../src/control/telemetry/metrics.js';
import { installCrds, readCrds } from '../../src/control/controller/install-crds.js';
import { NotebookOperator } from '../../src/control/notebook/notebook-operator.js';
import { readNotebookSettings } from '../../src/control/notebook/operator-options.js';
import { isArray, isObject, parseJson, type JsonObject } from '../../src/model/json/index.js';
import { plainLogger } from '../../src/model/logging/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { connectCluster, CRDS } from '../harness/in-process-controller.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import { JumpClock } from '../harness/jump-clock.js';
import { SmallNode } from './rights/small-node.js';
import {
  APPLICATIONS,
  BUILDS,
  BUILD_CONFIGS,
  INFERENCE_SERVICES,
  NAMESPACES,
  NOTEBOOK_VALIDATION_JOBS,
  PODS,
  SERVICE_ACCOUNTS,
  type ResourceRef,
} from '../../src/model/resources/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
const USER = 'system:serviceaccount:argocd:argosy-controller';
const ref = (group: string, version: string, kind: string, plural: string, namespaced = true): ResourceRef => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
const core = (kind: string, plural: string): ResourceRef => ref('', 'v1', kind, plural);
const apps = (kind: string, plural: string): ResourceRef => ref('apps', 'v1', kind, plural);
const RBAC = 'rbac.authorization.k8s.io';
const OTHERS = [
  BUILDS,
  BUILD_CONFIGS,
  INFERENCE_SERVICES,
  ref('image.openshift.io', 'v1', 'ImageStream', 'imagestreams'),
  ref('ray.io', 'v1', 'RayService', 'rayservices'),
  ref('machinelearning.seldon.io', 'v1', 'SeldonDeployment', 'seldondeployments'),
  ref('serving.yatai.ai', 'v2alpha1', 'BentoDeployment', 'bentodeployments'),
];
const NS = 'ml';

const parts = await realParts(['etcd', 'kube-apiserver']);
const absent = parts.kind === 'missing' ? `skipped: the real control plane (${parts.reason})` : undefined;

/** A kind that takes anything; as OpenShift's Build, its status comes with the object. */
function definition({ group, version, kind, plural }: ResourceRef): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

describe.skipIf(absent !== undefined)(absent ?? 'the notebook operator on a real kube-apiserver', () => {
  let plane: ControlPlane;
  let cluster: Cluster;
  let own: Cluster;
  let node: SmallNode;
  let operator: NotebookOperator | undefined;
  const log: string[] = [];
  const clock = new JumpClock();
  const world = {
    clock,
    random: Math.random,
    report: (line: string): void => {
      log.push(line);
    },
  };

  beforeAll(async () => {
    plane = await startRealControlPlane({
      etcdFsync: false,
      audit: true,
      apiserverArgs: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
    });
    cluster = await connectCluster(plane.kubeconfigPath);
    for (const name of ['argocd', NS, 'other'])
      await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await cluster.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: NS },
    });
    await installCrds(cluster, [
      ...(await readCrds(CRDS, ['application.yaml', 'notebookvalidationjob.yaml'])),
      ...OTHERS.map(definition),
    ]);
    for (const { value } of readYaml(readFileSync(join(ROOT, 'deploy/notebooks.yaml'), 'utf8'), {
      dialect: 'kubernetes',
      file: 'notebooks.yaml',
      duplicates: 'error',
    })) {
      const object = value as KubeObject;
      await cluster.create(
        object.kind === 'ServiceAccount'
          ? SERVICE_ACCOUNTS
          : ref(RBAC, 'v1', object.kind, `${object.kind.toLowerCase()}s`, false),
        object,
      );
    }
    const token = await cluster.create(
      SERVICE_ACCOUNTS,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name: 'argosy-controller', namespace: 'argocd' },
        spec: { expirationSeconds: 3600 },
      },
      { subresource: 'token' },
    );
    const file = join(plane.dir, 'operator.kubeconfig');
    writeFileSync(
      file,
      readFileSync(plane.kubeconfigPath, 'utf8').replaceAll(
        plane.adminToken,
        isObject(token.status) ? String(token.status.token) : '',
      ),
    );
    own = await connectCluster(file);
    node = await SmallNode.start(cluster, join(plane.dir, 'certs'), (job) => job !== 'lost');
    const runner = new Map(
      await Promise.all(
        (await readdir(join(ROOT, 'runner')))
          .filter((name) => name.endsWith('.py'))
          .map(async (name) => [name, await readFile(join(ROOT, 'runner', name), 'utf8')] as const),
      ),
    );
    operator = await NotebookOperator.start({
      cluster: own,
      world,
      namespace: 'argocd',
      metrics: new Metrics(),
      log: plainLogger((line) => {
        log.push(line);
      }),
      runner,
      mayWrite: () => true,
      nonce: () => 'f00d',
      resolve: () => Promise.reject(new Error('nobody asks for commits')),
      settings: readNotebookSettings({}),
    });
    operator?.open();
  }, 120_000);
  afterAll(async () => {
    await operator?.close();
    await node.close();
    await own.close();
    await cluster.close();
    await plane.stop();
  });

  const job = (name: string, spec: JsonObject, metadata: JsonObject = {}): Promise<KubeObject> =>
    cluster.create(NOTEBOOK_VALIDATION_JOBS, {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      metadata: { ...metadata, name, namespace: NS },
      spec: {
        notebook: { git: { url: 'https://git.example.com/ml.git', ref: 'main' }, path: 'train.ipynb' },
        podConfig: {},
        ...spec,
      },
    });
  const until = async <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> => {
    for (const end = Date.now() + 40_000, next = pollDelays(); ; await next()) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end)
        throw new Error(
          `never: ${what}; jobs: ${JSON.stringify(
            (await cluster.list(NOTEBOOK_VALIDATION_JOBS, { namespace: NS })).items.map(({ metadata, status }) => [
              metadata.name,
              status,
            ]),
            undefined,
            1,
          )}; the operator said:\n${log.slice(-20).join('\n')}`,
        );
    }
  };
  const status = (name: string, holds: (status: JsonObject) => boolean): Promise<JsonObject> =>
    until(name, async () => {
      const found = (await cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: NS, name }))?.status;
      return isObject(found) && holds(found) && found;
    });
  const make = (kind: ResourceRef, name: string, more: JsonObject, metadata: JsonObject = {}): Promise<KubeObject> =>
    cluster.create(kind, {
      apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      ...more,
      metadata: { name, namespace: NS, ...metadata },
    });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'web:1' }] } };
  const workload = { selector: { matchLabels: labels }, template };
  const trigger = (kind: ResourceRef, name: string, action: string, namespace = ''): JsonObject => ({
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    name,
    action,
    ...(namespace === '' ? {} : { namespace }),
  });

  it('triggers reach what they name: restarts, evictions, refreshes, and a sync that keeps the wave', async () => {
    await make(apps('Deployment', 'deployments'), 'web', { spec: workload });
    await make(apps('StatefulSet', 'statefulsets'), 'db', { spec: { ...workload, serviceName: 'db' } });
    await make(apps('DaemonSet', 'daemonsets'), 'agent', { spec: workload });
    const set = await make(apps('ReplicaSet', 'replicasets'), 'served', { spec: workload });
    await make(
      PODS,
      'served-1',
      { spec: template.spec },
      {
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'served', uid: set.metadata.uid ?? '', controller: true },
        ],
      },
    );
    await make(PODS, 'fraud-1', { spec: template.spec }, { labels: { 'serving.kserve.io/inferenceservice': 'fraud' } });
    await make(INFERENCE_SERVICES, 'fraud', {
      spec: {},
      status: {
        address: { url: `http://fraud-predictor.${NS}.svc.cluster.local` },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    await make(core('Service', 'services'), 'fraud-predictor', { spec: { ports: [{ port: 80 }] } });
    await make(core('Endpoints', 'endpoints'), 'fraud-predictor', {});
    await make(core('Secret', 'secrets'), 'login', { stringData: { username: 'u', password: 'p' } });
    await make(core('ConfigMap', 'configmaps'), 'settings', { data: { A: 'b' } });
    await make(
      APPLICATIONS,
      'pipeline',
      { spec: { project: 'default', destination: { namespace: NS, server: 'https://kubernetes.default.svc' } } },
      { annotations: { 'argocd.argoproj.io/sync-wave': '7' } },
    );
    const triggers = [
      trigger(apps('Deployment', ''), 'web', 'restart'),
      trigger(apps('StatefulSet', ''), 'db', 'restart'),
      trigger(apps('DaemonSet', ''), 'agent', 'restart'),
      trigger(apps('ReplicaSet', ''), 'served', 'restart'),
      trigger(INFERENCE_SERVICES, 'fraud', 'restart'),
      trigger(INFERENCE_SERVICES, 'fraud', 'refresh'),
      trigger(APPLICATIONS, 'pipeline', 'sync', NS),
      trigger(APPLICATIONS, 'pipeline', 'refresh', NS),
      trigger(apps('Deployment', ''), 'web', 'refresh'),
    ];
    await job(
      'train',
      {
        notebook: {
          git: { url: 'https://git.example.com/ml.git', ref: 'main', credentialsSecret: 'login' },
          path: 'train.ipynb',
        },
        podConfig: { envFrom: [{ configMapRef: { name: 'settings' } }] },
        modelValidation: { targetModels: ['fraud'], timeout: '2s', predictionValidation: { testData: '[1]' } },
      },
      {
        labels: { 'app.kubernetes.io/part-of': 'pipeline' },
        annotations: { 'mlops.dev/on-success-trigger': JSON.stringify(triggers), 'argocd.argoproj.io/sync-wave': '3' },
      },
    );
    const done = await status('train', ({ modelValidationResult }) => isObject(modelValidationResult));
    expect(
      (isArray(done.triggers) ? done.triggers : []).map((each) =>
        isObject(each)
          ? `${String(each.action)} ${String(each.kind)} ${String(each.state)} ${String(each.attempts)}`
          : '',
      ),
    ).toEqual([
      'restart Deployment Succeeded 1',
      'restart StatefulSet Succeeded 1',
      'restart DaemonSet Succeeded 1',
      'restart ReplicaSet Succeeded 1',
      'restart InferenceService Succeeded 1',
      'refresh InferenceService Succeeded 1',
      'sync Application Succeeded 1',
      'refresh Application Succeeded 1',
      'refresh Deployment Succeeded 1',
    ]);
    expect(done).toMatchObject({
      modelValidationResult: { message: expect.stringContaining('no endpoints available') as string },
    });
    const restarted = {
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': done.completionTime } } },
    };
    const web = await cluster.get(apps('Deployment', 'deployments'), { namespace: NS, name: 'web' });
    expect([web?.spec, web?.metadata.annotations]).toMatchObject([
      restarted,
      { 'mlops.dev/restart-timestamp': done.completionTime },
    ]);
    for (const [kind, name] of [
      [apps('StatefulSet', 'statefulsets'), 'db'],
      [apps('DaemonSet', 'daemonsets'), 'agent'],
    ] as const)
      expect((await cluster.get(kind, { namespace: NS, name }))?.spec).toMatchObject(restarted);
    for (const name of ['served-1', 'fraud-1'])
      expect(await cluster.get(PODS, { namespace: NS, name }), name).toBeUndefined();
    expect(
      (await cluster.get(INFERENCE_SERVICES, { namespace: NS, name: 'fraud' }))?.metadata.annotations,
    ).toMatchObject({
      'mlops.dev/restart-timestamp': done.completionTime,
    });
    const pipeline = await until('the application is told', async () => {
      const found = await cluster.get(APPLICATIONS, { namespace: NS, name: 'pipeline' });
      return (
        found?.metadata.annotations?.['mlops.dev/notebook-summary'] === '1/1 succeeded (100.0% success rate)' && found
      );
    });
    expect(pipeline.metadata.annotations).toMatchObject({
      'argocd.argoproj.io/refresh': 'normal',
      'argocd.argoproj.io/sync-wave': '7',
    });
    expect(pipeline.operation).toEqual({
      initiatedBy: { username: 'jupyter-notebook-validator-operator' },
      sync: { syncStrategy: { hook: {} } },
    });
  }, 60_000);

  it('a trigger does not reach another namespace where the account of its job may not', async () => {
    await job(
      'reaches',
      {},
      {
        annotations: {
          'mlops.dev/on-success-trigger': JSON.stringify([trigger(apps('Deployment', ''), 'web', 'restart', 'other')]),
        },
      },
    );
    const isOver = ({ triggers }: JsonObject): boolean =>
      isArray(triggers) && triggers.some((each) => isObject(each) && each.state === 'Failed');
    expect(await status('reaches', isOver)).toMatchObject({
      phase: 'Succeeded',
      triggers: [
        {
          message:
            'Deployment other/web is in another namespace, and the service account default cannot patch ' +
            'deployments there. To allow it: kubectl create role ml-reaches-trigger -n other --verb=patch ' +
            '--resource=deployments.apps --resource-name=web && kubectl create rolebinding ml-reaches-trigger ' +
            '-n other --role=ml-reaches-trigger --serviceaccount=ml:default',
        },
      ],
    });
  }, 60_000);

  it('models of other platforms are looked at', async () => {
    for (const platform of ['ray-serve', 'seldon', 'bentoml'])
      await job(platform, { modelValidation: { platform, targetModels: ['nobody'], timeout: '1s' } });
    for (const platform of ['ray-serve', 'seldon', 'bentoml'])
      expect(await status(platform, ({ modelValidationResult }) => isObject(modelValidationResult))).toMatchObject({
        modelValidationResult: { platformDetected: true, message: 'not ready: nobody (not found) (after 1 s)' },
      });
  }, 60_000);

  it('a build that hangs is cancelled, and the next run has its own', async () => {
    await job('built', { podConfig: { buildConfig: { enabled: true, timeout: '10m' } } });
    const config = await until(
      'a build configuration',
      async () => (await cluster.list(BUILD_CONFIGS, { namespace: NS })).items[0],
    );
    // Another look before there is a build.
    await cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace: NS, name: 'built' },
      { type: 'merge', body: { metadata: { annotations: { look: 'again' } } } },
    );
    await until('it is asked for again', () => Promise.resolve(used().has('build.openshift.io buildconfigs get')));
    await make(BUILDS, `${config.metadata.name ?? ''}-1`, { status: { phase: 'Running' } });
    await status('built', ({ buildStatus }) => isObject(buildStatus) && buildStatus.phase === 'Running');
    clock.pass(11 * 60_000);
    await status('built', ({ phase, message }) => phase === 'Failed' && String(message).includes('BuildTimeout'));
    await until('it is cancelled', async () =>
      (await cluster.list(BUILDS, { namespace: NS })).items.every(
        (build) => isObject(build.status) && build.status.cancelled === true,
      ),
    );
    await cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace: NS, name: 'built' },
      { type: 'merge', body: { spec: { notebook: { git: { ref: 'v2' } } } } },
    );
    await until(
      'another configuration',
      async () => (await cluster.list(BUILD_CONFIGS, { namespace: NS })).items.length === 2,
    );
    await until('the stream of the run before', () =>
      Promise.resolve(used().has('image.openshift.io imagestreams get')),
    );
  }, 90_000);

  it('a pod that is lost is missed, and one of an older run ends', async () => {
    await job('lost', {});
    const podOf = async (): Promise<KubeObject | undefined> =>
      (await cluster.list(PODS, { namespace: NS, labelSelector: 'notebookvalidationjob=lost' })).items[0];
    const pod = await until('a pod', podOf);
    await cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace: NS, name: 'lost' },
      { type: 'merge', body: { spec: { timeout: '10m' } } },
    );
    await until('another pod', async () => ![undefined, pod.metadata.uid].includes((await podOf())?.metadata.uid));
    const { validationPodUid: uid = null } = await status(
      'lost',
      ({ validationPodUid, observedGeneration }) => observedGeneration === 2 && validationPodUid !== undefined,
    );
    await cluster.remove(
      PODS,
      { namespace: NS, name: (await podOf())?.metadata.name ?? '' },
      { uid: String(uid), gracePeriodSeconds: 0 },
    );
    expect(await status('lost', ({ retryCount }) => retryCount === 1)).toMatchObject({
      message: expect.stringContaining('PodLost') as string,
    });
  }, 60_000);

  it('has exactly the rights that it uses', () => {
    const denied = audited()
      .filter(({ code }) => code === 401 || code === 403)
      .map(({ right }) => right);
    expect([...new Set(denied)]).toEqual([]);
    // Admission asks for this one by itself, without a request that could be seen here.
    expect([...used(), 'mlops.mlops.dev notebookvalidationjobs/finalizers update'].sort()).toEqual(
      [...granted()].sort(),
    );
  });

  /** `group resource/subresource verb` of every request of the operator. */
  function audited(): { readonly right: string; readonly code: number }[] {
    const file = join(plane.dir, 'audit.log');
    const lines = existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.includes(USER))
      : [];
    return lines.flatMap((line) => {
      if (!line.endsWith('}')) return [];
      const { user, verb, objectRef, responseStatus } = parseJson(line) as JsonObject;
      if (!isObject(user) || user.username !== USER || !isObject(objectRef)) return [];
      const resource = [objectRef.resource, objectRef.subresource]
        .filter((part) => part !== undefined)
        .map(String)
        .join('/');
      return [
        {
          right: `${String(objectRef.apiGroup ?? '')} ${resource} ${String(verb)}`,
          code: isObject(responseStatus) ? Number(responseStatus.code) : 0,
        },
      ];
    });
  }

  function used(): Set<string> {
    return new Set(audited().map(({ right }) => right));
  }

  function granted(): Set<string> {
    const role = readYaml(readFileSync(join(ROOT, 'deploy/notebooks.yaml'), 'utf8'), {
      dialect: 'kubernetes',
      file: 'notebooks.yaml',
    })
      .map(({ value }) => value as KubeObject)
      .find(({ kind }) => kind === 'ClusterRole');
    const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
    const rules = role !== undefined && isArray(role.rules) ? role.rules.filter(isObject) : [];
    return new Set(
      rules.flatMap(({ apiGroups, resources, verbs }) =>
        texts(apiGroups).flatMap((group) =>
          texts(resources).flatMap((resource) => texts(verbs).map((verb) => `${group} ${resource} ${verb}`)),
        ),
      ),
    );
  }
});
