import type { JsonObject } from '../../src/model/json/index.js';
import { fromVault, type Component } from './component.js';
import { draw, drawOne } from './draw.js';
import { PLATFORM } from './platform-components.js';

const SUBJECTS = [
  'search',
  'billing',
  'notifications',
  'profiles',
  'uploads',
  'exports',
  'imports',
  'audit',
  'reports',
  'scheduler',
  'webhooks',
  'sessions',
  'tenants',
  'catalogue',
  'mailer',
  'documents',
  'chat',
  'orders',
  'payments',
  'pricing',
  'inventory',
  'shipping',
  'reviews',
  'metrics',
  'alerts',
  'quota',
  'licences',
  'consent',
  'feeds',
  'media',
  'maps',
  'tags',
] as const;
const ROLES = [
  '',
  '-api',
  '-worker',
  '-gateway',
  '-sync',
  '-admin',
  '-cache',
  '-index',
  '-events',
  '-rules',
  '-jobs',
  '-ui',
  '-edge',
  '-store',
  '-proxy',
  '-stream',
];

/** The components of a fleet: those that everybody knows, then applications of many teams. */
export function makeComponents(count: number, seed: number): Component[] {
  const known = PLATFORM.slice(0, count);
  return [
    ...known,
    ...Array.from({ length: count - known.length }, (_, index) => makeApplication(componentName(index), seed)),
  ];
}

function componentName(index: number): string {
  const role = ROLES[Math.floor(index / SUBJECTS.length) % ROLES.length] ?? '';
  const round = Math.floor(index / (SUBJECTS.length * ROLES.length));
  return `${SUBJECTS[index % SUBJECTS.length] ?? 'app'}${role}${round === 0 ? '' : `-${round + 1}`}`;
}

/** In what proportion teams write what. */
const MIX: readonly (readonly [number, (name: string, seed: number) => Component])[] = [
  [0.62, webService],
  [0.78, (name) => ({ domain: 'apps', name, source: { kind: 'kustomize', content: 'service' }, values: {} })],
  [0.86, (name) => chart(name, 'platform/stateful-service', { image: { repository: `ghcr.io/ameideio/${name}` } })],
  [
    0.92,
    (name, seed) =>
      chart(name, 'platform/scheduled-job', {
        schedule: `${Math.floor(draw(seed, name, 'minute') * 60)} ${Math.floor(draw(seed, name, 'hour') * 24)} * * *`,
      }),
  ],
  [
    0.95,
    (name, seed) =>
      chart(name, 'ml/inference-service', { format: drawOne(['sklearn', 'xgboost', 'onnx'], seed, name, 'format') }),
  ],
  [0.98, (name) => chart(name, 'data/postgres-cluster', { database: name.replaceAll('-', '_'), size: '5Gi' })],
  [
    1,
    (name, seed) =>
      chart(name, 'ml/notebook-validation', {
        notebook: `notebooks/${drawOne(['train', 'evaluate', 'prepare'], seed, name)}.ipynb`,
      }),
  ],
];

function makeApplication(name: string, seed: number): Component {
  const lot = draw(seed, name, 'kind');
  const make = MIX.find(([until]) => lot < until)?.[1] ?? webService;
  return make(name, seed);
}

function chart(name: string, path: string, values: JsonObject): Component {
  return { domain: 'apps', name, source: { kind: 'helm', chart: path }, values: { fullnameOverride: name, ...values } };
}

function webService(name: string, seed: number): Component {
  const is = (what: string, chance: number): boolean => draw(seed, name, what) < chance;
  return chart(name, 'apps/web-service', {
    port: 8000 + Math.floor(draw(seed, name, 'port') * 1000),
    config: {
      LOG_LEVEL: is('debug', 0.2) ? 'debug' : 'info',
      ...(is('kafka', 0.3) ? { KAFKA_BROKERS: 'kafka-kafka-bootstrap:9092' } : {}),
    },
    ...(is('secret', 0.3) ? { secrets: [fromVault(`${name}-credentials`, { API_KEY: `${name}-api-key` })] } : {}),
    ...(is('autoscaling', 0.2) ? { autoscaling: { enabled: true, minReplicas: 1, maxReplicas: 3 } } : {}),
    ...(is('route', 0.2) ? { route: { enabled: true } } : {}),
    ...(is('budget', 0.2) ? { disruptionBudget: { enabled: true } } : {}),
    resources: {
      requests: {
        cpu: `${10 + 5 * Math.floor(draw(seed, name, 'cpu') * 6)}m`,
        memory: `${32 << Math.floor(draw(seed, name, 'memory') * 3)}Mi`,
      },
    },
  });
}
