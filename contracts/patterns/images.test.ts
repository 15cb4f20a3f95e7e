import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { startRegistry, type Registry } from '../../world/doubles/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { NotebookLab, runnerLine } from '../notebook/notebook-lab.js';
import { APPLICATIONS, CONFIG_MAPS, NOTEBOOK_VALIDATION_JOBS, SECRETS } from '../../src/model/resources/index.js';

// Images of registries outside of the cluster, and the one image that notebooks are validated in.
const LOGIN = { name: 'ci', password: 'pull-only' };
const ALLOWED = 'registry.example.com/notebook-validator:1';
const WELL: JsonObject = {
  validator: {
    after: '100ms',
    log: [
      runnerLine({ event: 'start', kernel: 'k', cells: 1, codeCells: 1 }),
      runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 }),
      runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
    ],
  },
};
const LONG = 120_000;

let lab: NotebookLab;
let registry: Registry;
let repository: GitRepository;
beforeAll(async () => {
  lab = await NotebookLab.open();
  registry = await startRegistry({ private: ['team/web', 'team/never'], images: ['team/web:old'], users: [LOGIN] });
  repository = await GitRepository.open('/', [], (text) => text);
}, LONG);
afterAll(async () => {
  await lab.close();
  await registry.close();
  await repository.close();
});

const set = (data: Record<string, string>): Promise<unknown> =>
  lab.cluster.apply(
    CONFIG_MAPS,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'argocd-cmd-params-cm',
        namespace: 'argocd',
        labels: { 'app.kubernetes.io/part-of': 'argocd' },
      },
      data,
    },
    { force: true },
  );
const has = async (namespace: string, name: string): Promise<boolean> =>
  (await lab.cluster.get(CONFIG_MAPS, { namespace, name })) !== undefined;

async function deliver(name: string, image: string, more = ''): Promise<void> {
  const map = (title: string, annotations: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${title}, annotations: {${annotations}}}\n`;
  await repository.write(
    `${name}/all.yaml`,
    [
      map('before', 'argocd.argoproj.io/sync-wave: "-1"'),
      map('web', `argosy.dev/wait-for-image: "${new URL(registry.url).host}/${image}"${more}`),
      map('after', 'argocd.argoproj.io/sync-wave: "1"'),
    ].join('---\n'),
  );
  await repository.commit();
  await lab.namespace(name);
  await lab.cluster.create(APPLICATIONS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: repository.url, path: name },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { automated: {}, retry: { limit: 0 } },
    },
  });
}

async function until(name: string, holds: (operation: JsonObject) => boolean): Promise<JsonObject> {
  return lab.until(
    `the operation of ${name}`,
    async () => {
      const application = await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name });
      const operation =
        isObject(application?.status) && isObject(application.status.operationState)
          ? application.status.operationState
          : {};
      return holds(operation) && operation;
    },
    60_000,
  );
}

describe('an image of a registry', () => {
  it(
    'holds its wave of a sync until it is pushed; the registry is asked as its Secret says',
    async () => {
      const { host } = new URL(registry.url);
      await deliver('web', 'team/web:1');
      await until(
        'web',
        ({ phase, message }) =>
          phase === 'Running' &&
          String(message).includes(`waiting for image ${host}/team/web:1`) &&
          String(message).includes('may not be asked'),
      );
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'registry', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repo-creds' } },
        stringData: {
          type: 'oci',
          url: `oci://${host}/team`,
          username: LOGIN.name,
          password: LOGIN.password,
          insecureOCIForceHttp: 'true',
        },
      });
      await until(
        'web',
        ({ phase, message }) => phase === 'Running' && String(message).includes(`${host} does not have it`),
      );
      expect([await has('web', 'before'), await has('web', 'web'), await has('web', 'after')]).toEqual([
        true,
        false,
        false,
      ]);
      registry.push('team/web:1');
      expect(await until('web', ({ phase }) => phase !== 'Running')).toMatchObject({ phase: 'Succeeded' });
      expect([await has('web', 'web'), await has('web', 'after')]).toEqual([true, true]);
    },
    LONG,
  );

  it(
    'that does not come in time fails the sync, and says what is known of it',
    async () => {
      await deliver('late', 'team/never:1', ', argosy.dev/wait-timeout: 2s');
      const { phase, message } = await until(
        'late',
        (operation) => operation.phase !== undefined && operation.phase !== 'Running',
      );
      expect(phase).toBe('Failed');
      expect(message).toContain(`image ${new URL(registry.url).host}/team/never:1 was not there within 2s`);
      expect([await has('late', 'before'), await has('late', 'web'), await has('late', 'after')]).toEqual([
        true,
        false,
        false,
      ]);
    },
    LONG,
  );
});

describe('the one image that notebooks are validated in', () => {
  const OTHER = 'quay.io/tier2:latest';
  const run = async (
    namespace: string,
    name: string,
  ): Promise<{ readonly image: unknown; readonly allowed: JsonObject | undefined; readonly spec: unknown }> => {
    await lab.job(namespace, name, WELL, { spec: { podConfig: { containerImage: OTHER } } });
    const pod = await lab.until(`a pod of ${name}`, async () =>
      (await lab.pods(namespace)).find(({ metadata }) =>
        metadata.ownerReferences?.some((owner) => owner.name === name),
      ),
    );
    const containers = isObject(pod.spec) && isArray(pod.spec.containers) ? pod.spec.containers.filter(isObject) : [];
    const { conditions } = await lab.untilStatus(namespace, name, ({ phase }) => phase === 'Succeeded');
    const job = await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace, name });
    const config = isObject(job?.spec) && isObject(job.spec.podConfig) ? job.spec.podConfig : {};
    return {
      image: containers[0]?.image,
      allowed: isArray(conditions)
        ? conditions.filter(isObject).find(({ type }) => type === 'ImageAllowed')
        : undefined,
      spec: config.containerImage,
    };
  };

  it(
    'is reported to a job with another, set instead of it, or left alone where the namespace may choose',
    async () => {
      for (const name of ['ml', 'sandbox']) await lab.namespace(name);
      const setting = (mode: string): Record<string, string> => ({
        'argosy.notebooks.image': `{image: "${ALLOWED}", mode: ${mode}, exemptNamespaces: [sand*]}`,
      });
      await set(setting('check'));
      await lab.until('the setting counts', async () => {
        const { allowed } = await run('ml', `checked-${Date.now()}`);
        return allowed !== undefined;
      });
      const checked = await run('ml', 'checked');
      expect(checked).toMatchObject({ image: OTHER, allowed: { status: 'False' } });
      expect(String(checked.allowed?.message)).toMatch(new RegExp(`${OTHER}.*${ALLOWED}`));
      expect(await run('sandbox', 'free')).toEqual({ image: OTHER, allowed: undefined, spec: OTHER });
      await set(setting('set'));
      await lab.until('the setting counts', async () => (await run('ml', `set-${Date.now()}`)).image === ALLOWED);
      expect(await run('ml', 'set')).toMatchObject({
        image: ALLOWED,
        allowed: { status: 'True', reason: 'ImageSet' },
        spec: OTHER,
      });
      expect(await run('sandbox', 'still-free')).toEqual({ image: OTHER, allowed: undefined, spec: OTHER });
    },
    LONG,
  );
});
