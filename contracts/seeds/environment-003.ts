import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollDelays } from '../harness/poll-delays.js';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { connectCluster, startInProcessController } from '../harness/in-process-controller.js';
import { startEmbeddedServer } from '../embedded/embedded-server.js';
import { readDocument } from './document.js';
import type { ShellEnvironment } from './shell-environment.js';
import { APPLICATIONS, ARGOCDS, INFERENCE_SERVICES, NAMESPACES } from '../../src/model/resources/index.js';

const KSERVE = join(import.meta.dirname, '../../world/controllers/kserve');
const CONTROL_NAMESPACE = 'openshift-gitops';
const SCRIPTS = 'llmops-via-argocd/argocd-custom-healthcheck';
const WITHIN = 60_000;
/** What somebody would put into the editor where the document is not here. */
const CHECKS =
  'spec:\n  resourceHealthChecks:\n  - {group: serving.kserve.io, kind: InferenceService, check: "if ' +
  'obj.status == nil then return {status = \\"Progressing\\"} end return {status = \\"Healthy\\"}"}\n';

/**
 * Three stages of a model server and the settings of their control plane; the stage `production` waits for a person.
 */
export async function openEnvironment(): Promise<ShellEnvironment> {
  const server = await startEmbeddedServer();
  const cluster = await connectCluster(server.kubeconfigPath);
  const repository = await GitRepository.open('/', [], (text) => text);
  await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CONTROL_NAMESPACE } });
  const controller = await startInProcessController({
    kubeconfigPath: server.kubeconfigPath,
    namespace: CONTROL_NAMESPACE,
  });
  await installCrds(
    cluster,
    (await readCrds(KSERVE, ['crds.yaml'])).filter(
      ({ metadata }) => metadata.name === 'inferenceservices.serving.kserve.io',
    ),
  );
  await cluster.create(ARGOCDS, {
    apiVersion: 'argoproj.io/v1beta1',
    kind: 'ArgoCD',
    metadata: { namespace: CONTROL_NAMESPACE, name: CONTROL_NAMESPACE },
    spec: {},
  });
  for (const stage of ['dev', 'staging', 'production']) await deliver(cluster, repository, stage);
  for (const stage of ['dev', 'staging']) await makeReady(cluster, stage);
  const folder = openFolder();
  return {
    kubeconfig: server.kubeconfigPath,
    folder,
    programs: {
      'put-checks': editor(`--patch-file '${folder}/checks.yaml'`),
      'put-url': editor(`-p '{"data":{"url":"https://elsewhere.example.com"}}'`),
    },
    close: async () => {
      await controller.stop();
      await cluster.close();
      await repository.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a person does in an editor, as a program. */
function editor(patch: string): string {
  return `kubectl patch --local -f "$1" --type merge ${patch} -o yaml > "$1.new" && mv "$1.new" "$1"`;
}

async function deliver(cluster: Cluster, repository: GitRepository, stage: string): Promise<void> {
  const name = `llmops-${stage}`;
  await repository.write(
    `${stage}/service.yaml`,
    'apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: ' +
      `${stage}-qwen25-05b-instruct, namespace: ${name}}\nspec: {predictor: {model: {modelFormat: {name: ` +
      'vLLM}}}}\n',
  );
  await repository.commit();
  await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await cluster.create(APPLICATIONS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace: CONTROL_NAMESPACE, name },
    spec: {
      project: 'default',
      source: { repoURL: repository.url, path: stage, targetRevision: 'master' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      ...(stage === 'production' ? {} : { syncPolicy: { automated: {} } }),
    },
  });
}

/** As KServe shows a service that answers. */
async function makeReady(cluster: Cluster, stage: string): Promise<void> {
  const id = { namespace: `llmops-${stage}`, name: `${stage}-qwen25-05b-instruct` };
  for (
    const end = Date.now() + WITHIN, next = pollDelays();
    (await cluster.get(INFERENCE_SERVICES, id)) === undefined;
    await next()
  ) {
    if (Date.now() > end) throw new Error(`${id.name} was never delivered`);
  }
  const status = {
    url: `https://${id.name}-${id.namespace}.apps.example.com`,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Stopped', status: 'False' },
    ],
  };
  await cluster.patch(INFERENCE_SERVICES, id, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/**
 * The document's two scripts are names for our commands; its block of checks is what a person pastes into the editor.
 */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-seed-003-'));
  mkdirSync(join(folder, SCRIPTS), { recursive: true });
  for (const [name, command] of [
    ['apply-health-check-via-cr.sh', 'apply'],
    ['verify-health-check.sh', 'verify'],
  ] as const) {
    writeFileSync(join(folder, SCRIPTS, name), `#!/bin/sh\nexec argosy health ${command} "$@"\n`);
    symlinkSync(join(SCRIPTS, name), join(folder, name));
  }
  const block = readDocument('003')?.slice(271, 310).join('\n');
  writeFileSync(join(folder, 'checks.yaml'), block === undefined ? CHECKS : `${block}\n`);
  return folder;
}
