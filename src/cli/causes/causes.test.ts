import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { isArray, isObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { DEPLOYMENTS, PODS } from '../../model/resources/index.js';

const IMAGE = 'registry.example.com/shop/web:does-not-exist';
const deployment = (name: string, image: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }] } },
  },
});
const status = (name: string): object => ({
  sync: { status: 'Synced', comparedTo: { source: { repoURL: 'x' }, destination: {} } },
  health: { status: 'Progressing' },
  resources: [
    {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      namespace: 'shop',
      name,
      status: 'Synced',
      health: { status: 'Progressing' },
    },
  ],
});

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab({ controllers: true });
  await lab.cluster.create(DEPLOYMENTS, deployment('web', IMAGE));
  await lab.cluster.create(DEPLOYMENTS, deployment('other', 'ghcr.io/shop/other:does-not-exist'));
  for (const name of ['web', 'other']) await lab.create(name, { status: status(name) });
  await lab.create('well', {
    status: {
      sync: { status: 'Synced', comparedTo: { source: { repoURL: 'x' }, destination: {} } },
      health: { status: 'Healthy' },
    },
  });
  const isWaiting = ({ status: told }: KubeObject): boolean =>
    isObject(told) &&
    isArray(told.containerStatuses) &&
    told.containerStatuses.some(
      (each) =>
        isObject(each) &&
        isObject(each.state) &&
        isObject(each.state.waiting) &&
        String(each.state.waiting.reason).includes('ImagePull'),
    );
  while ((await lab.cluster.list(PODS, { namespace: 'shop' })).items.filter(isWaiting).length < 2)
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
}, 60_000);
afterAll(() => lab.close());

describe('app get', () => {
  it('prints the cause under the status, with symptoms and fix, for this application only', async () => {
    const { code, out } = await lab.run(['app', 'get', 'web']);
    expect(code).toBe(0);
    const lines = out.split('\n');
    const at = lines.findIndex((line) => line.startsWith('Health Status:'));
    expect(lines[at + 1]).toBe(`Cause:              image ${IMAGE} does not exist`);
    expect(lines[at + 2]).toMatch(/^ {2}symptom: {10}Deployment shop\/web has 0 of 1 pods/);
    expect(out).toMatch(/^ {2}fix: {14}push shop\/web:does-not-exist, or use a tag that exists/m);
    expect(out).not.toContain('shop/other');
  });

  it('prints no causes for a healthy application, or with -o json', async () => {
    expect((await lab.run(['app', 'get', 'well'])).out).not.toContain('Cause:');
    expect((await lab.run(['app', 'get', 'web', '-o', 'json'])).out).not.toContain('Cause:');
  });
});
