import type { NodeFault, Shop } from './fault.js';

export const APPLICATION_IMAGE = 'local/application:1';
const STYLES = ['java', 'python', 'node', 'dotnet', 'go'];

/** Which language the programs of a fault log as, where it does not matter: each in turn. */
export function styleOf(index: number): string {
  return STYLES[index % STYLES.length] ?? 'go';
}

/** front asks store, store asks database: each a Deployment with probes and a Service. */
export function shopObjects(shop: Shop, style: string): object[] {
  const common = { STYLE: shop.style ?? style };
  const password = { name: 'database-login', key: 'password' };
  const front = { NAME: 'front', CALLS: 'http://store/items', ...common, ...shop.front };
  const store = { NAME: 'store', DATABASE: 'database:5432', DATABASE_USER: 'shop', ...common, ...shop.store };
  const database = { NAME: 'database', MODE: 'database', ...common, ...shop.database };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database-login' }, stringData: { password: 'rosebud' } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'store-settings' },
      data: { 'store.properties': 'currency=EUR\nregion=north\n' },
    },
    ...part('database', 5432, database, { PASSWORD: password }, { tcpSocket: { port: 5432 } }),
    ...part('store', 8080, store, { DATABASE_PASSWORD: password }, { httpGet: { path: '/readyz', port: 8080 } }),
    ...part('front', 8080, front, {}, { httpGet: { path: '/readyz', port: 8080 } }),
  ];
}

type Env = Readonly<Record<string, string>>;

function part(
  name: string,
  port: number,
  env: Env,
  secret: Readonly<Record<string, object>>,
  readinessProbe: object,
): object[] {
  const labels = { app: name };
  const container = {
    name,
    image: APPLICATION_IMAGE,
    ports: [{ containerPort: port }],
    env: [
      ...Object.entries(env).map(([key, value]) => ({ name: key, value })),
      ...Object.entries(secret).map(([key, secretKeyRef]) => ({ name: key, valueFrom: { secretKeyRef } })),
    ],
    resources: { requests: { cpu: '5m', memory: '16Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { ...readinessProbe, periodSeconds: 2 },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels },
      spec: { selector: labels, ports: [{ port: name === 'database' ? port : 80, targetPort: port }] },
    },
  ];
}

/** The Deployment `web` of a fault that needs no shop; undefined where it brings objects only. */
export function webOf({ container, pod, deployment }: NodeFault): object | undefined {
  if (container === undefined && pod === undefined && deployment === undefined) return undefined;
  const labels = { app: 'web' };
  const containers = [{ name: 'app', image: 'busybox:1.35', command: ['sleep', '100000'], ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      ...deployment,
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers, ...pod } },
    },
  };
}
