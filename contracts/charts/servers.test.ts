import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/controller/install-crds.js';
import { isArray, isObject } from '../../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../../src/model/yaml/index.js';
import { chosenServers, type Server } from '../apiserver/servers.js';
import { connectCluster, CRDS } from '../harness/in-process-controller.js';
import { builtPart, realParts } from '../real/parts.js';
import { LibraryCharts, objectsOf, scriptOf } from './library-chart.js';
import { ScriptLab } from './script-lab.js';
import { seedLines } from './seed-lines.js';
import {
  NAMESPACES,
  NOTEBOOK_VALIDATION_JOBS,
  SERVICE_ACCOUNTS,
  SUBJECT_ACCESS_REVIEWS,
} from '../../src/model/resources/index.js';

// Manifests of the library on a real kube-apiserver and on ours, and those that a server refuses, with its words.
const NS = 'demo';
const MISTAKE = join(import.meta.dirname, 'mistakes/a-Job-without-an-image-and-without-a-restart-policy');
const TEMPLATE = [
  '{{ include "argosy.waitForImage" (dict "name" "validator" "syncWave" "-3" "imageTag" "validator:latest" ' +
    '"buildConfig" "validator" "context" $) }}',
  '{{ include "argosy.waitForNotebook" (dict "name" "train" "syncWave" "3" "context" $) }}\n',
].join('\n');

const kubectlMissing = await realParts(['kubectl']);
const servers = await Promise.all(
  chosenServers().map(async (server) => ({
    ...server,
    absent: kubectlMissing.kind === 'missing' ? `skipped: kubectl (${kubectlMissing.reason})` : await server.missing(),
  })),
);
const charts = new LibraryCharts();
const stage = new ScriptLab();
const folder = mkdtempSync(join(tmpdir(), 'argosy-charts-'));
afterAll(() => {
  charts.close();
  stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = (file: string): string => readFileSync(join(MISTAKE, file), 'utf8');

describe.each(servers)('charts on $name', ({ name, open, absent }) => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let server: Server;
  let cluster: Cluster;
  let program = '';
  const objects = objectsOf(charts.chart('waits', { 'templates/waits.yaml': TEMPLATE }));

  beforeAll(async () => {
    program = await builtPart('kubectl');
    server = await open();
    cluster = await connectCluster(server.kubeconfig);
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
    await installCrds(cluster, await readCrds(CRDS, ['notebookvalidationjob.yaml']));
  }, 20 * 60_000);
  afterAll(async () => {
    await cluster.close();
    await server.stop();
  });

  const kubectl = (args: readonly string[], input: string): { code: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(program, ['--kubeconfig', server.kubeconfig, '-n', NS, ...args], {
      input,
      encoding: 'utf8',
      env: { HOME: folder, PATH: '/usr/bin:/bin' },
    });
    return { code: status, stdout, stderr };
  };

  it('a Job without an image and without a restart policy is refused, and its corrected form is taken', () => {
    expect(kubectl(['create', '-f', '-'], read('given.yaml'))).toEqual({
      code: 1,
      stdout: '',
      stderr: read('says.txt').replace('NAME', 'wait-for-something'),
    });
    expect(kubectl(['create', '-f', '-'], read('corrected.yaml'))).toMatchObject({ code: 0, stderr: '' });
  });

  const seed = seedLines('000');
  if (seed === undefined)
    it.skip('skipped: seed 000 (../shared/seeds is not there)', () => {
      /* the name says why */
    });
  else {
    it('the Job of the document is refused in the same words', () => {
      expect(kubectl(['create', '-f', '-'], seed(72, 91))).toEqual({
        code: 1,
        stdout: '',
        stderr: read('says.txt').replace('NAME', 'wait-for-notebook-validator-image'),
      });
    });
  }

  it('takes everything that the library gives, and stores it as it was given', () => {
    const text = objects.map((object) => writeYaml(object)).join('---\n');
    expect(kubectl(['apply', '--server-side', '--validate=strict', '-f', '-'], text)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(kubectl(['diff', '--server-side', '-f', '-'], text)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  // The embedded server knows no rights.
  if (name === 'real')
    it('gives the account of a Job what its script reads, and nothing else', async () => {
      const may = async (
        account: string,
        verb: string,
        group: string,
        resource: string,
        object = '',
      ): Promise<boolean> => {
        const review = await cluster.create(SUBJECT_ACCESS_REVIEWS, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          metadata: {},
          spec: {
            user: `system:serviceaccount:${NS}:${account}`,
            resourceAttributes: { namespace: NS, verb, group, resource, name: object },
          },
        });
        return isObject(review.status) && review.status.allowed === true;
      };
      const [image, notebook] = ['wait-for-validator-image', 'wait-for-train-notebook'];
      expect(await may(image, 'get', 'image.openshift.io', 'imagestreamtags', 'validator:latest')).toBe(true);
      expect(await may(image, 'list', 'build.openshift.io', 'builds')).toBe(true);
      expect(await may(notebook, 'get', 'mlops.mlops.dev', 'notebookvalidationjobs', 'train')).toBe(true);
      const tooMuch = [
        [image, 'get', 'image.openshift.io', 'imagestreamtags', 'other:latest'],
        [image, 'list', 'image.openshift.io', 'imagestreamtags'],
        [image, 'get', 'image.openshift.io', 'imagestreams', 'validator'],
        [image, 'get', 'build.openshift.io', 'builds', 'validator-1'],
        [image, 'delete', 'build.openshift.io', 'builds'],
        [image, 'get', '', 'secrets', 'any'],
        [notebook, 'get', 'mlops.mlops.dev', 'notebookvalidationjobs', 'other'],
        [notebook, 'list', 'mlops.mlops.dev', 'notebookvalidationjobs'],
        [notebook, 'update', 'mlops.mlops.dev', 'notebookvalidationjobs', 'train'],
      ] as const;
      for (const [account, verb, group, resource, object = ''] of tooMuch)
        expect(await may(account, verb, group, resource, object), `${verb} ${resource} ${object}`).toBe(false);
    });

  it('the Job of a notebook sees its end with the rights of its account', async () => {
    await cluster.create(NOTEBOOK_VALIDATION_JOBS, {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      metadata: { name: 'train', namespace: NS },
      spec: {
        notebook: { git: { url: 'https://git.example.com/ml.git', ref: 'main' }, path: 'train.ipynb' },
        podConfig: {},
      },
    });
    const token = await cluster.create(
      SERVICE_ACCOUNTS,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name: 'wait-for-train-notebook', namespace: NS },
        spec: { expirationSeconds: 3600 },
      },
      { subresource: 'token' },
    );
    const own = join(folder, `${name}.kubeconfig`);
    writeFileSync(
      own,
      asAccount(readFileSync(server.kubeconfig, 'utf8'), isObject(token.status) ? String(token.status.token) : ''),
    );
    const sleep =
      `[ "$N" -lt 2 ] || '${program}' --kubeconfig '${server.kubeconfig}' -n ${NS} patch ` +
      'notebookvalidationjobs train --subresource=status --type=merge -p ' +
      `'{"status":{"phase":"Succeeded","message":"done"}}' >/dev/null`;
    const played = await stage.play(
      scriptOf(objects.find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'wait-for-train-notebook')),
      { kubectl: `exec '${program}' --kubeconfig '${own}' "$@"`, sleep },
    );
    expect(played).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'notebook train is not started\nnotebook train is not started\nnotebook train succeeded\n',
    });
  });
});

/** The same cluster, with another credential. */
function asAccount(kubeconfig: string, token: string): string {
  const config = readOneYaml(kubeconfig, { dialect: 'kubernetes' });
  const users = isObject(config) && isArray(config.users) ? config.users.filter(isObject) : [];
  return JSON.stringify({
    ...(isObject(config) ? config : {}),
    users: users.map(({ name }) => ({ name: String(name), user: { token } })),
  });
}
