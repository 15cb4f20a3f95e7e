import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, readOneYaml, writeJson, type JsonObject, type KubeObject } from '../../../src/model/index.js';
import { builtPart } from '../../real/parts.js';
import { objectName } from '../api.js';
import { Applications } from '../applications.js';
import type { DeliverCluster } from '../clusters.js';
import { GitRepository } from '../git-repository.js';
import { at } from '../look.js';
import { FOLDER, type RemovalCase } from './cases.js';

/** The object is there as its applier left it, the application is Synced; a commit that only takes something away turns it OutOfSync, and the sync takes it from the object. */
export async function playRemoval(cluster: DeliverCluster, control: string, { applier, removal }: RemovalCase, id: string): Promise<void> {
  const { api } = cluster;
  const namespace = `${id}-ns`;
  const name = objectName(removal.object, namespace);
  const applications = new Applications(api, control);
  await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '');
  const repository = await GitRepository.open(FOLDER, [], cluster.rewrite);
  try {
    const text = readFileSync(join(FOLDER, 'given', removal.file), 'utf8');
    await repository.write(`shop/${removal.file}`, text);
    await repository.commit();
    if (applier.apply !== undefined) await kubectlApply(cluster, ['-n', namespace, ...applier.apply], asApplied(text, applier.tracked === true, id, namespace));
    await applications.create(id, { source: { repoURL: repository.url, path: 'shop' }, destination: { server: 'https://kubernetes.default.svc', namespace } });
    if (applier.apply === undefined) await applications.sync(id);
    await api.patch(name, removal.beside, 'merge', '?fieldManager=somebody');
    assertManager(await api.get(name), applier.manager);
    await applications.until(id, { sync: 'Synced' }, namespace);

    await repository.patch(`shop/${removal.file}`, removal.commit);
    await repository.commit();
    await applications.refresh(id);
    await applications.until(id, { sync: 'OutOfSync', resources: { [removal.object]: { sync: 'OutOfSync' } } }, namespace);
    await applications.sync(id);
    await applications.until(id, { phase: 'Succeeded', sync: 'Synced', objects: { [removal.object]: removal.then } }, namespace);
  } finally {
    await api.delete(applications.name(id));
    await repository.close();
  }
}

/** Argo CD adds to which application an object belongs. */
function asApplied(text: string, isTracked: boolean, application: string, namespace: string): string {
  const object = readOneYaml(text, { dialect: 'kubernetes' }) as unknown as KubeObject;
  const [version, group = ''] = object.apiVersion.split('/').reverse();
  if (version === undefined || !isTracked) return text;
  const annotations = { 'argocd.argoproj.io/tracking-id': `${application}:${group}/${object.kind}:${namespace}/${object.metadata.name ?? ''}` };
  return writeJson({ ...object, metadata: { ...object.metadata, annotations } });
}

function assertManager(object: JsonObject | undefined, [manager, operation]: readonly [string, string]): void {
  const entries = at(object, 'metadata', 'managedFields');
  const isSo = isArray(entries) && entries.some((entry) => isObject(entry) && entry.manager === manager && entry.operation === operation && entry.subresource === undefined);
  if (!isSo) throw new Error(`the object should be managed by ${manager} (${operation}), is ${JSON.stringify(entries)}`);
}

async function kubectlApply({ kubeconfigPath }: DeliverCluster, args: readonly string[], text: string): Promise<void> {
  const child = spawn(await builtPart('kubectl'), ['--kubeconfig', kubeconfigPath, 'apply', '--validate=false', ...args, '-f', '-'], { stdio: ['pipe', 'ignore', 'pipe'], env: { GOGC: 'off' } });
  let told = '';
  child.stderr.on('data', (part: Buffer) => { told += part.toString(); });
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`kubectl apply ${args.join(' ')}: ${told}`);
}
