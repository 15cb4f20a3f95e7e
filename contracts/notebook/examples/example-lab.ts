import { join } from 'node:path';
import { isArray, isObject, parseJson, textAt, type JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { processImages } from '../../../world/demo/process-images.js';
import { Connection } from '../../apiserver/connection.js';
import { runCommand } from '../../cli/app-lab.js';
import { Api } from '../../deliver/api.js';
import { NotebookLab, placeOf } from '../notebook-lab.js';
import { ApprovalServer } from './approval-server.js';
import { Repositories } from './repositories.js';
import { APPLICATIONS } from '../../../src/model/resources/index.js';

const WORLD = join(import.meta.dirname, '../../../world');

/** What a model server answered. */
export interface Prediction {
  readonly code: number;
  readonly version: string;
  readonly values: readonly number[];
}

/**
 * A cluster, by default the embedded one where notebooks and model servers run as processes; our controller, git, and
 * somebody whom notebooks ask.
 */
export class ExampleLab {
  private constructor(
    readonly notebooks: NotebookLab,
    readonly api: Api,
    readonly git: Repositories,
    readonly gate: ApprovalServer,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<ExampleLab> {
    return ExampleLab.of((...outside) =>
      NotebookLab.open({
        world: { directory: WORLD, only: ['kserve', 'openshift-router'] },
        processes: { images: processImages(WORLD), reachable: outside.map(placeOf) },
      }),
    );
  }

  /** `open` is told what notebooks ask for over the network. */
  static async of(open: (...outside: readonly string[]) => Promise<NotebookLab>): Promise<ExampleLab> {
    const [git, gate] = await Promise.all([Repositories.open(), ApprovalServer.open()]);
    const notebooks = await open(git.url, gate.url);
    const connection = new Connection(notebooks.kubeconfig);
    return new ExampleLab(notebooks, new Api(connection), git, gate, async () => {
      await connection.close();
      await notebooks.close();
      await gate.close();
      await git.close();
    });
  }

  /** Runs a command against the cluster; gives its exit code. */
  async command(words: readonly string[], write: (text: string) => void): Promise<number> {
    const { code, err } = await runCommand([...words, '--kubeconfig', this.notebooks.kubeconfig], {
      now: Date.now,
      stdout: { write },
    });
    if (err !== '') throw new Error(err);
    return code;
  }

  /** A namespace with claims for models. */
  async namespace(name: string, ...claims: readonly string[]): Promise<void> {
    await this.notebooks.namespace(name);
    for (const claim of claims)
      await this.api.create(
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: claim },
          spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '5Gi' } } },
        },
        name,
      );
  }

  /** Somebody else makes it. */
  async untilNamespace(name: string): Promise<void> {
    await this.notebooks.until(
      `the claims of ${name}`,
      async () => (await this.api.list('PersistentVolumeClaim', name)).length === 2,
      WITHIN,
    );
  }

  /**
   * Delivers a folder of a repository to a namespace, and goes on by itself after each commit that `refresh` tells of.
   */
  async deliver(name: string, repository: string, namespace: string): Promise<void> {
    await this.notebooks.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: `${this.git.url}/${repository}`, targetRevision: 'main', path: 'manifests' },
        destination: { server: 'https://kubernetes.default.svc', namespace },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    });
  }

  async refresh(name: string): Promise<void> {
    await this.notebooks.cluster.patch(
      APPLICATIONS,
      { namespace: 'argocd', name },
      { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } } },
    );
  }

  async application(name: string): Promise<KubeObject | undefined> {
    return this.notebooks.cluster.get(APPLICATIONS, { namespace: 'argocd', name });
  }

  /** Waits until a notebook of the application asks; where none does, says how the application is. */
  async untilRequested(application: string, question: string): Promise<void> {
    let isAsked = false;
    void this.gate.requested(`${application}/${question}`).then(() => {
      isAsked = true;
    });
    await this.#until(application, () => isAsked, `at the question ${question}`);
  }

  /** Waits for the sync and health of an application, as `Synced/Healthy`; a failure says how it is instead. */
  async untilApplication(name: string, wanted: string): Promise<void> {
    await this.#until(
      name,
      ({ sync, health }) => `${textAt(sync, 'status')}/${textAt(health, 'status')}` === wanted,
      wanted,
    );
  }

  /** Waits for the phase of the operation, with these words in its message. */
  async untilOperation(name: string, phase: RegExp, words: string): Promise<void> {
    await this.#until(
      name,
      ({ operationState: state }) => phase.test(textAt(state, 'phase')) && textAt(state, 'message').includes(words),
      `${phase.source} ${words}`,
    );
  }

  async #until(name: string, holds: (status: JsonObject) => boolean, wanted: string): Promise<void> {
    let last: JsonObject = {};
    await this.notebooks
      .until(
        `${name} ${wanted}`,
        async () => {
          const status = (await this.application(name))?.status;
          last = isObject(status) ? status : {};
          return holds(last);
        },
        WITHIN,
      )
      .catch((error: unknown) => {
        throw new Error(`${name} should be ${wanted}, is ${JSON.stringify(last, undefined, 1)}`, { cause: error });
      });
  }

  /** The names of all objects of these kinds in a namespace, as `Kind/name`. */
  async present(namespace: string, ...kinds: readonly string[]): Promise<string[]> {
    const lists = await Promise.all(
      kinds.map(async (kind) =>
        (await this.api.list(kind, namespace)).map((object) => `${kind}/${textAt(object, 'metadata', 'name')}`),
      ),
    );
    return lists.flat().sort();
  }

  /** The status of the condition Ready of an InferenceService; empty where it has none. */
  async isServed(namespace: string, name: string): Promise<string> {
    const object = await this.api.get({ kind: 'InferenceService', namespace, name });
    const conditions = object === undefined || !isObject(object.status) ? undefined : object.status.conditions;
    return textAt(
      isArray(conditions) ? conditions.find((each) => textAt(each, 'type') === 'Ready') : undefined,
      'status',
    );
  }

  /** Asks the model for the value of one row, through the Service of its predictor. */
  async predict(namespace: string, name: string, row: readonly number[]): Promise<Prediction> {
    const { code, text } = await this.api.connection.send({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/services/${name}-predictor:80/proxy/v1/models/${name}:predict`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ instances: [row] }),
    });
    const body = text.startsWith('{') ? parseJson(text) : null;
    const values =
      isObject(body) && isArray(body.predictions)
        ? body.predictions.map((value) => Math.round(Number(value) * 1000) / 1000)
        : [];
    return { code, version: textAt(body, 'model_version'), values };
  }

  /** Waits until the triggers of a job are done, each at the first attempt. */
  async untilTriggered(namespace: string, name: string, count: number): Promise<void> {
    await this.notebooks.until(
      `the triggers of ${name}`,
      async () => {
        const { triggers } = await this.notebooks.status(namespace, name);
        return (
          isArray(triggers) &&
          triggers.length === count &&
          triggers.every((each) => isObject(each) && each.state === 'Succeeded' && each.attempts === 1)
        );
      },
      WITHIN,
    );
  }

  async untilServed(namespace: string, name: string, version: string): Promise<void> {
    await this.notebooks.until(
      `${namespace}/${name} answers with ${version}`,
      async () => (await this.predict(namespace, name, [1, 1])).version === version,
      WITHIN,
    );
  }
}

/** A busy machine takes its time; nothing here is measured. */
const WITHIN = 100_000;
