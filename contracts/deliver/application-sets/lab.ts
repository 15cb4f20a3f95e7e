import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pollDelays } from '../../harness/poll-delays.js';
import { installCrds, readCrds } from '../../../src/control/index.js';
import { type JsonObject, isObject, objectsAt, textAt } from '../../../src/model/json/index.js';
import { TestRepository } from '../../faults/repository.js';
import type { Api, ObjectName } from '../api.js';
import { Applications } from '../applications.js';
import type { DeliverCluster } from '../clusters.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../../harness/in-process-controller.js';

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, '../../../dist/main.js');
const DECISIONS = { group: 'cluster.open-cluster-management.io', version: 'v1beta1', plural: 'placementdecisions' };
const WITHIN = 30_000;
export function configMap(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
}

/** A cluster with a controller that lives in this process, and repositories beside it. */
export class ApplicationSetLab {
  readonly applications: Applications;
  readonly #repositories = new Map<string, TestRepository>();
  #controller: InProcessController | undefined;

  private constructor(
    readonly folder: string,
    readonly namespace: string,
    readonly api: Api,
    private readonly kubeconfigPath: string,
    private readonly isReadOnly: boolean,
    private readonly stop: () => Promise<void>,
  ) {
    this.applications = new Applications(api, namespace);
  }

  static async open(
    open: () => Promise<DeliverCluster>,
    folder: string,
    namespace: string,
    isReadOnly = false,
  ): Promise<ApplicationSetLab> {
    const { api, kubeconfigPath, stop } = await open();
    const scene = new ApplicationSetLab(folder, namespace, api, kubeconfigPath, isReadOnly, stop);
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '');
    const cluster = await connectCluster(kubeconfigPath);
    await installCrds(cluster, await readCrds(CRDS));
    await cluster.close();
    await scene.#start();
    return scene;
  }

  async close(): Promise<void> {
    await this.#controller?.stop();
    await this.stop();
  }

  async restart(): Promise<void> {
    await this.#controller?.stop();
    await this.#start();
  }

  /** Waits until every set was looked at in full by the controller that runs now. */
  async waitForSetReconciles(): Promise<void> {
    await this.#controller?.waitForMetric(
      'argosy_application_set_passes_total',
      (await this.api.list('ApplicationSet', this.namespace)).length,
    );
  }

  async waitForLogLine(words: string): Promise<void> {
    await this.#controller?.waitForLogLine(words);
  }

  /** What `argosy` prints, with this cluster. */
  async argosy(...words: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [
      '--disable-proto=delete',
      MAIN,
      ...words,
      '--kubeconfig',
      this.kubeconfigPath,
      '--control-namespace',
      this.namespace,
    ]);
    return stdout;
  }

  async waitForReconcile(): Promise<void> {
    await this.#controller?.waitForReconciles(1);
  }

  repository(name: string): TestRepository {
    const known = this.#repositories.get(name) ?? new TestRepository(join(this.folder, `${name}.git`));
    this.#repositories.set(name, known);
    return known;
  }

  /** The address of a repository with one folder. */
  plainRepository(): string {
    const repository = this.repository('plain');
    if (!repository.has('main')) repository.commit({ 'apps/one/map.yaml': configMap('plain-one') });
    return repository.url;
  }

  template(name: string, repoURL: string, path: string, server = 'https://kubernetes.default.svc'): JsonObject {
    return {
      metadata: { name },
      spec: {
        project: 'default',
        source: { repoURL, targetRevision: 'main', path },
        destination: { server, namespace: this.namespace },
        syncPolicy: { automated: { prune: true } },
      },
    };
  }

  async create(name: string, spec: JsonObject, finalizers: readonly string[] = []): Promise<void> {
    await this.api.create(
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'ApplicationSet',
        metadata: { name, finalizers: [...finalizers] },
        spec,
      },
      this.namespace,
    );
  }

  async change(name: string, spec: JsonObject): Promise<void> {
    await this.api.patch(this.#name(name), { spec });
  }

  async refresh(name: string): Promise<void> {
    await this.api.patch(this.#name(name), {
      metadata: { annotations: { 'argocd.argoproj.io/application-set-refresh': 'true' } },
    });
    await this.#until(
      name,
      'the refresh is answered',
      (set) => textAt(set, 'metadata', 'annotations', 'argocd.argoproj.io/application-set-refresh') === '',
    );
  }

  async remove(name: string): Promise<void> {
    await this.api.delete(this.#name(name));
  }

  async set(name: string): Promise<JsonObject> {
    return (await this.api.get(this.#name(name))) ?? {};
  }

  async application(name: string): Promise<JsonObject> {
    return (await this.applications.get(name)) ?? {};
  }

  async project(name: string, spec: JsonObject): Promise<void> {
    await this.api.create(
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name }, spec },
      this.namespace,
    );
  }

  async changeProject(name: string, spec: JsonObject): Promise<void> {
    await this.api.patch({ kind: 'AppProject', group: 'argoproj.io', namespace: this.namespace, name }, { spec });
  }

  /** A kind whose objects decide about clusters, one of them, and the ConfigMap that leads generators there. */
  async defineDecisions(): Promise<void> {
    const { group, version, plural } = DECISIONS;
    await this.api.create(
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'PlacementDecision', plural },
          versions: [
            {
              name: version,
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      },
      '',
    );
    await this.api.create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'placement' },
        data: { apiVersion: `${group}/${version}`, kind: plural, statusListKey: 'decisions', matchKey: 'clusterName' },
      },
      this.namespace,
    );
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const made = await this.api
        .create(
          { apiVersion: `${group}/${version}`, kind: 'PlacementDecision', metadata: { name: 'best' } },
          this.namespace,
        )
        .catch((error: unknown) => (Date.now() > end ? Promise.reject(error as Error) : undefined));
      if (made !== undefined) return;
    }
  }

  async decide(decisions: readonly JsonObject[]): Promise<void> {
    await this.api.patch(
      { kind: 'PlacementDecision', group: DECISIONS.group, namespace: this.namespace, name: 'best' },
      { status: { decisions: [...decisions] } },
      'merge',
      '/status',
    );
  }

  /** Its Deployment has a pod that is ready. */
  async untilReady(name: string): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const found = await this.api.get({ kind: 'Deployment', group: 'apps', namespace: this.namespace, name });
      if (found !== undefined && isObject(found.status) && found.status.readyReplicas === 1) return;
      if (Date.now() > end) throw new Error(`${name} is not ready: ${JSON.stringify(found?.status)}`);
    }
  }

  async addCluster(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.api.create(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `cluster-${name}`, labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels } },
        stringData: { name, server: 'https://127.0.0.1:1', config: '{}' },
      },
      this.namespace,
    );
  }

  async removeCluster(name: string): Promise<void> {
    await this.api.delete({ kind: 'Secret', group: '', namespace: this.namespace, name: `cluster-${name}` });
  }

  /** The set says that all is well, and these are its Applications. */
  untilUpToDate(name: string, applications: readonly string[]): Promise<void> {
    const wanted = JSON.stringify([...applications].sort());
    return this.#until(
      name,
      `its Applications are ${wanted}`,
      async (set) =>
        conditionMessage(set, 'ResourcesUpToDate').startsWith('True') &&
        conditionMessage(set, 'ErrorOccurred').startsWith('False') &&
        textAt(set, 'status', 'health', 'status') === 'Healthy' &&
        JSON.stringify(Object.keys(await this.uids(name))) === wanted,
    );
  }

  untilRefused(name: string, words: string): Promise<void> {
    return this.#until(
      name,
      `it says "${words}"`,
      (set) =>
        conditionMessage(set, 'ErrorOccurred').startsWith('True') &&
        conditionMessage(set, 'ErrorOccurred').includes(words) &&
        conditionMessage(set, 'ResourcesUpToDate').startsWith('False'),
    );
  }

  untilStatus(name: string, isSo: (status: JsonObject) => boolean): Promise<void> {
    return this.#until(name, 'the status is right', (set) => isObject(set.status) && isSo(set.status));
  }

  untilGone(name: string): Promise<void> {
    return this.#until(name, 'it is gone', (set) => Object.keys(set).length === 0);
  }

  /** Of the Applications that a set owns and nobody deletes, by name. */
  async uids(name: string): Promise<Record<string, string>> {
    return Object.fromEntries(
      (await this.#owned(name))
        .filter((application) => textAt(application, 'metadata', 'deletionTimestamp') === '')
        .map(
          (application) => [textAt(application, 'metadata', 'name'), textAt(application, 'metadata', 'uid')] as const,
        )
        .sort(),
    );
  }

  /** What a write would change: of the set, and of what it decides about its Applications. */
  async identities(name: string): Promise<unknown> {
    const set = await this.set(name);
    const metadata = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});
    return [
      metadata(set).resourceVersion,
      (await this.#owned(name))
        .map(metadata)
        .map(({ name: own, uid, generation, labels, annotations, finalizers, ownerReferences }) => ({
          own,
          uid,
          generation,
          labels,
          annotations,
          finalizers,
          ownerReferences,
        })),
    ];
  }

  async #start(): Promise<void> {
    this.#controller = await startInProcessController({
      kubeconfigPath: this.kubeconfigPath,
      namespace: this.namespace,
      data: join(this.folder, 'data'),
      isReadOnly: this.isReadOnly,
    });
  }

  async #owned(name: string): Promise<JsonObject[]> {
    return (await this.api.list('Application', this.namespace)).filter((application) =>
      objectsAt(application, 'metadata', 'ownerReferences').some(
        (owner) => owner.kind === 'ApplicationSet' && owner.name === name,
      ),
    );
  }

  #name(name: string): ObjectName {
    return { kind: 'ApplicationSet', group: 'argoproj.io', namespace: this.namespace, name };
  }

  async #until(name: string, what: string, isSo: (set: JsonObject) => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const set = await this.set(name);
      if (await isSo(set)) return;
      if (Date.now() > end)
        throw new Error(
          `${name}: not within ${WITHIN / 1000} s: ${what}; there are ` +
            `${Object.keys(await this.uids(name)).join(', ')}; it says ${JSON.stringify(set.status)}; the ` +
            `controller said\n${this.#controller?.log.slice(-8).join('\n') ?? ''}`,
        );
    }
  }
}

/** Status and message of a condition. */
function conditionMessage(set: JsonObject, type: string): string {
  const condition = objectsAt(set, 'status', 'conditions').find((each) => each.type === type);
  return condition === undefined ? '' : `${textAt(condition, 'status')} ${textAt(condition, 'message')}`;
}
