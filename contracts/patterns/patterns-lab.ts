import { join } from 'node:path';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { readOutside } from '../../world/demo/outside/open-outside.js';
import { GitRepository } from '../harness/git-repository.js';
import { NotebookLab } from '../notebook/notebook-lab.js';
import { APPLICATIONS } from '../../src/model/resources/index.js';

/** The embedded cluster with its world, our controller, and a repository with a chart. */
export class PatternsLab {
  private constructor(
    readonly lab: NotebookLab,
    readonly repository: GitRepository,
    readonly outside: ReadonlyMap<string, string>,
  ) {}

  static async open(root: string, folder: string): Promise<PatternsLab> {
    const lab = await NotebookLab.open({ world: join(import.meta.dirname, '../../world') });
    const repository = await GitRepository.open(root, [folder], (text) => text);
    await repository.commit();
    return new PatternsLab(lab, repository, await readOutside(lab.cluster));
  }

  async close(): Promise<void> {
    await this.lab.close();
    await this.repository.close();
  }

  /** An application of the chart that syncs by itself, once. */
  async deliver(
    name: string,
    path: string,
    values: JsonObject,
    annotations: Record<string, string> = {},
  ): Promise<void> {
    await this.lab.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd', annotations },
      spec: {
        project: 'default',
        source: { repoURL: this.repository.url, path, helm: { valuesObject: values } },
        destination: { server: 'https://kubernetes.default.svc', namespace: name },
        syncPolicy: { automated: {}, retry: { limit: 0 } },
      },
    });
  }

  async status(name: string): Promise<JsonObject> {
    const application = await this.lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name });
    return isObject(application?.status) ? application.status : {};
  }

  /** Waits for a state; says how it stayed where it never comes. */
  async until(
    name: string,
    holds: (status: JsonObject, operation: JsonObject) => boolean,
    within = 60_000,
  ): Promise<JsonObject> {
    let last: JsonObject = {};
    return this.lab
      .until(
        name,
        async () => {
          last = await this.status(name);
          return holds(last, isObject(last.operationState) ? last.operationState : {}) && last;
        },
        within,
      )
      .catch((error: unknown) => {
        throw new Error(
          `${name} stays ` +
            JSON.stringify({ operation: last.operationState, health: last.health, conditions: last.conditions }),
          { cause: error },
        );
      });
  }
}
