import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isArray, isObject, writeJson, type JsonObject } from '../../../src/model/json/index.js';
import { readOneYaml } from '../../../src/model/yaml/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { builtPart } from '../../real/parts.js';
import { objectName } from '../api.js';
import { Applications } from '../applications.js';
import type { DeliverCluster } from '../clusters.js';
import { startController, type Controller } from '../controller.js';
import { GitRepository } from '../../harness/git-repository.js';
import { valueIn } from '../compare-with-expectation.js';
import { FOLDER, readDefinition, type Applier, type RemovalCase } from './cases.js';

const CONTROL = 'argocd';

/**
 * All cases on one server: a repository with a folder for each, an application for each, and one commit that takes from
 * each what it is about.
 */
export class RemovalLab {
  private constructor(
    private readonly cluster: DeliverCluster,
    private readonly controller: Controller,
    private readonly repository: GitRepository,
  ) {}

  static async open(cluster: DeliverCluster, cases: readonly RemovalCase[]): Promise<RemovalLab> {
    await cluster.api.create(readDefinition(), '');
    const scene = new RemovalLab(
      cluster,
      await startController(cluster, CONTROL, {}),
      await GitRepository.open(FOLDER, [], cluster.rewrite),
    );
    for (const one of cases) {
      await cluster.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: one.id } }, '');
      await scene.repository.write(fileOf(one), given(one));
    }
    await scene.repository.commit();
    for (const applier of new Set(cases.map((one) => one.applier)))
      await scene.#apply(
        applier,
        cases.filter((one) => one.applier === applier),
      );
    await Promise.all(cases.map((one) => scene.#before(one)));
    for (const one of cases) await scene.repository.patch(fileOf(one), one.removal.commit);
    await scene.repository.commit();
    return scene;
  }

  /**
   * The commit turned the application OutOfSync, and the sync takes from the object what git no longer has, and nothing
   * else.
   */
  async play(one: RemovalCase): Promise<void> {
    const { id, removal, applier } = one;
    const applications = this.#applications;
    if (applier.first === 'commit') await this.#create(one);
    else await applications.refresh(id);
    await applications.until(id, { sync: 'OutOfSync', resources: { [removal.object]: { sync: 'OutOfSync' } } }, id);
    await applications.sync(id);
    await applications.until(
      id,
      { phase: 'Succeeded', sync: 'Synced', objects: { [removal.object]: removal.then } },
      id,
    );
  }

  async close(): Promise<void> {
    await this.controller.stop();
    await this.repository.close();
    await this.cluster.stop();
  }

  get #applications(): Applications {
    return new Applications(this.cluster.api, CONTROL);
  }

  #create({ id }: RemovalCase): Promise<JsonObject> {
    return this.#applications.create(id, {
      source: { repoURL: this.repository.url, path: id },
      destination: { server: 'https://kubernetes.default.svc', namespace: id },
    });
  }

  async #apply({ apply, tracked = false }: Applier, cases: readonly RemovalCase[]): Promise<void> {
    if (apply !== undefined)
      await kubectlApply(
        this.cluster.kubeconfigPath,
        apply,
        cases.map((one) => asApplied(one, tracked)).join('\n---\n'),
      );
  }

  /** The object is as its maker left it, somebody else has set a field, and an application that knows it is Synced. */
  async #before(one: RemovalCase): Promise<void> {
    const { id, removal, applier } = one;
    const name = objectName(removal.object, id);
    if (applier.first !== 'commit') await this.#create(one);
    if (applier.first === 'sync') await this.#applications.sync(id);
    assertManager(
      await this.cluster.api.patch(name, removal.beside, 'merge', '?fieldManager=somebody'),
      applier.manager,
    );
    if (applier.first !== 'commit') await this.#applications.until(id, { sync: 'Synced' }, id);
  }
}

function fileOf({ id, removal }: RemovalCase): string {
  return `${id}/${removal.file}`;
}

function given({ removal }: RemovalCase): string {
  return readFileSync(join(FOLDER, 'given', removal.file), 'utf8');
}

/** In its namespace; Argo CD adds to which application an object belongs. */
function asApplied(one: RemovalCase, isTracked: boolean): string {
  const object = readOneYaml(given(one), { dialect: 'kubernetes' }) as unknown as KubeObject;
  const [, group = ''] = object.apiVersion.split('/').reverse();
  const annotations = {
    'argocd.argoproj.io/tracking-id': `${one.id}:${group}/${object.kind}:${one.id}/${object.metadata.name ?? ''}`,
  };
  return writeJson({
    ...object,
    metadata: { ...object.metadata, namespace: one.id, ...(isTracked ? { annotations } : {}) },
  });
}

function assertManager(object: JsonObject, [manager, operation]: readonly [string, string]): void {
  const entries = valueIn(object, 'metadata', 'managedFields');
  const isSo =
    isArray(entries) &&
    entries.some(
      (entry) =>
        isObject(entry) &&
        entry.manager === manager &&
        entry.operation === operation &&
        entry.subresource === undefined,
    );
  if (!isSo)
    throw new Error(`the object should be managed by ${manager} (${operation}), is ${JSON.stringify(entries)}`);
}

async function kubectlApply(kubeconfigPath: string, args: readonly string[], text: string): Promise<void> {
  const child = spawn(
    await builtPart('kubectl'),
    [
      '--kubeconfig',
      kubeconfigPath,
      '--cache-dir',
      join(tmpdir(), 'argosy-kubectl-cache'),
      'apply',
      ...args,
      '-f',
      '-',
    ],
    { stdio: ['pipe', 'ignore', 'pipe'], env: { GOGC: 'off' } },
  );
  let told = '';
  child.stderr.on('data', (part: Buffer) => {
    told += part.toString();
  });
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`kubectl apply ${args.join(' ')}: ${told}`);
}
