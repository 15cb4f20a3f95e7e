import { expect, it } from 'vitest';
import { own, type JsonObject } from '../../model/json/index.js';
import { openMemoryCluster } from '../testing/memory-cluster.js';
import { putObject } from '../testing/put-object.js';
import type { Probe } from './probe.js';
import { readStages } from './read-stage.js';
import { stageControllers } from './start-stages.js';

const STAGES = `
controller: login
follows: a test
match: {kind: ConfigMap, when: [has(self.data) && has(self.data.user)]}
refs: {login: {probe: login, with: {user: "\${self.data.user}", secret: password}}}
stages: [{name: told, when: [refs.login != null], then: {patch: {data: {login: "\${refs.login.outcome}"}}}}]
`;

const map = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { user: 'ann' },
});
const password = (text: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'password' },
  data: { password: Buffer.from(text).toString('base64') },
});

it('a probe runs once per input, and again when a Secret that it read changes', async () => {
  const asked: JsonObject[] = [];
  const login: Probe = (input, { namespace, secret }) => {
    asked.push(input);
    const data = secret(namespace, 'password');
    return Promise.resolve({
      outcome: data === undefined ? 'no password' : Buffer.from(String(own(data, 'password')), 'base64').toString(),
    });
  };
  const cluster = await openMemoryCluster(stageControllers(readStages(STAGES, 'stages.yaml'), { login }));
  const outcomes = async (): Promise<unknown[]> => {
    await cluster.waitUntilQuiet();
    return ['one', 'two'].map(
      (name) => cluster.client.get({ group: '', plural: 'configmaps' }, 'default', name)?.['data'],
    );
  };
  for (const name of ['one', 'two']) await putObject(cluster, map(name));
  expect(await outcomes()).toMatchObject([{ login: 'no password' }, { login: 'no password' }]);
  await putObject(cluster, password('wrong'));
  expect(await outcomes()).toMatchObject([{ login: 'wrong' }, { login: 'wrong' }]);
  await putObject(cluster, password('right'));
  expect(await outcomes()).toMatchObject([{ login: 'right' }, { login: 'right' }]);
  await cluster.clock.advance(3_600_000, () => cluster.waitUntilQuiet());
  expect(asked).toEqual([1, 2, 3].map(() => ({ user: 'ann', secret: 'password' })));
  expect(cluster.logged).toEqual([]);
  await cluster.close();
});
