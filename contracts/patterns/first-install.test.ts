import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, isObject, type JsonObject } from '../../src/model/index.js';
import { said } from '../notebook/notebook-lab.js';
import { BUILDS, PatternsLab, PODS, SECRETS } from './patterns-lab.js';

// A chart with everything from the image to what serves the model is installed for the first time, and nobody helps.
const WELL: JsonObject = { 'git-clone': { after: '100ms' }, validator: { after: '100ms', log: [said({ event: 'start', kernel: 'k', cells: 1, codeCells: 1 }), said({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 }), said({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 })] } };
const GATE = { 'argosy.dev/wait-for-image.-3': 'imagestreamtag/notebook-validator:latest' };
const LONG = 120_000;

let lab: PatternsLab;
beforeAll(async () => { lab = await PatternsLab.open(join(import.meta.dirname, 'first-install'), 'chart'); }, LONG);
afterAll(() => lab.close());

async function install(name: string, revision: string, annotations: Record<string, string>): Promise<void> {
  await lab.lab.namespace(name);
  await lab.lab.cluster.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'git-login', namespace: name }, stringData: { username: lab.outside.get('gitUser') ?? '', password: lab.outside.get('gitPassword') ?? '' } });
  await lab.deliver(name, 'chart', { git: { repoURL: lab.outside.get('gitRepository') ?? '', revision }, simulate: JSON.stringify(WELL) }, annotations);
}

const isRunning = (words: string) => (_: JsonObject, { phase, message }: JsonObject): boolean => phase === 'Running' && String(message).includes(words);
const isOver = (_: JsonObject, { phase }: JsonObject): boolean => phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';

describe('a first install', () => {
  it.each([['named', GATE], ['unnamed', {}]])('reaches Synced and Healthy without a person, with the image %s', async (name, annotations) => {
    await install(name, 'main', annotations);
    await lab.until(name, isRunning('waiting for image imagestreamtag/notebook-validator:latest@'));
    const early = (await lab.lab.cluster.list(PODS, { namespace: name })).items.map(({ metadata }) => metadata.name ?? '');
    expect(early.filter((pod) => !pod.endsWith('-build'))).toEqual([]);
    const status = await lab.until(name, ({ sync, health }, { phase }) => phase !== 'Running' && isObject(sync) && sync.status === 'Synced' && isObject(health) && health.status === 'Healthy');
    expect(status.operationState).toMatchObject({ phase: 'Succeeded' });
    const builds = (await lab.lab.cluster.list(BUILDS, { namespace: name })).items;
    expect(builds.map(({ status: build }) => (isObject(build) ? build.phase : ''))).toEqual(['Complete']);
    const pods = (await lab.lab.cluster.list(PODS, { namespace: name })).items;
    expect(JSON.stringify(pods.map((pod) => pod.status))).not.toMatch(/ImagePull/);
  }, LONG);

  it('with the build broken stops at once with the reason of the Build', async () => {
    await install('broken', 'no-such-branch', GATE);
    const status = await lab.until('broken', isOver);
    expect(status.operationState).toMatchObject({ phase: 'Failed', message: expect.stringContaining('Build notebook-validator-1 failed: FetchSourceFailed: Failed to fetch the input source. Repair it, then start another: oc start-build notebook-validator -n broken') as string });
    const resources = isArray(status.resources) ? status.resources.filter(isObject) : [];
    expect(resources.filter(({ status: sync }) => sync === 'OutOfSync').map(({ kind }) => kind).sort()).toEqual(['Deployment', 'InferenceService', 'NotebookValidationJob']);
  }, LONG);

  it('with the build cancelled stops at once as well', async () => {
    await install('cancelled', 'main', GATE);
    const build = await lab.lab.until('a build', async () => (await lab.lab.cluster.list(BUILDS, { namespace: 'cancelled' })).items[0]);
    await lab.lab.cluster.patch(BUILDS, { namespace: 'cancelled', name: build.metadata.name ?? '' }, { type: 'merge', body: { status: { cancelled: true } } }, { subresource: 'status' });
    const status = await lab.until('cancelled', isOver);
    expect(status.operationState).toMatchObject({ phase: 'Failed', message: expect.stringContaining('Build notebook-validator-1 was cancelled: CancelledBuild: The build was cancelled by the user.') as string });
  }, LONG);
});
