import type { Chance } from './chance.js';

/** Few names, so that references, patches and generators meet. */
export const NAMES = ['web', 'api', 'store', 'conf'];

const VALUES = [
  'plain',
  '"quoted"',
  "'single'",
  '80',
  '"80"',
  'true',
  '"true"',
  'null',
  '~',
  '1.50',
  '0x10',
  '2001-01-01',
  '"a: b"',
  '[1, two]',
  '{a: 1, b: null}',
  '"multi\\nline"',
  '|\n    block\n    text',
  '>\n    folded\n    text',
  '>-\n    folded\n      more',
];

type Make = (name: string, chance: Chance) => string;

function head(apiVersion: string, kind: string, name: string, chance: Chance): string {
  const lines = [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${chance.is(0.2) ? `"${name}"` : name}`,
  ];
  if (chance.is(0.25)) lines.push(`  namespace: ${chance.one(['one', 'two', 'default', '"three"'])}`);
  if (chance.is(0.3)) lines.push(`  labels: {app: ${chance.one(['web', '"1"', 'yes'])}}`);
  if (chance.is(0.3)) lines.push('  annotations:', `    note: ${chance.one(['text', '"5"', '5', 'true', 'null'])}`);
  if (chance.is(0.1)) lines.push('  creationTimestamp: null');
  return `${lines.join('\n')}\n`;
}

function container(name: string, chance: Chance): string {
  const image = chance.one([
    'nginx',
    'nginx:1.2',
    '"redis:6"',
    'reg.example.com:5000/app:v1',
    'redis@sha256:123',
    'docker.io/library/nginx:1',
  ]);
  const lines = [`      - name: ${name}`, `        image: ${image}`];
  if (chance.is(0.5))
    lines.push(
      '        env:',
      '        - name: HOST',
      `          value: ${chance.one(['localhost', '"80"', '$(VAR_TOP)', '"http://$(VAR_BASE0):80"'])}`,
    );
  if (chance.is(0.3))
    lines.push(
      '        envFrom:',
      '        - configMapRef:',
      `            name: ${chance.one(NAMES)}`,
      '        - secretRef:',
      `            name: ${chance.one(NAMES)}`,
    );
  if (chance.is(0.4))
    lines.push('        ports:', '        - containerPort: 80', '        - {containerPort: 53, protocol: UDP}');
  if (chance.is(0.2)) lines.push(`        args: [a, "${chance.one(['b', '$(VAR_MIDDLE)'])}"]`);
  return lines.join('\n');
}

function podSpec(chance: Chance): string {
  const lines = ['  template:', '    metadata:', '      labels: {app: web}', '    spec:'];
  if (chance.is(0.3)) lines.push(`      serviceAccountName: ${chance.one(NAMES)}`);
  if (chance.is(0.3)) lines.push('      initContainers:', container('init', chance));
  lines.push('      containers:', container('main', chance));
  if (chance.is(0.4)) lines.push(container('side', chance));
  if (chance.is(0.4))
    lines.push(
      '      volumes:',
      '      - name: v',
      '        configMap:',
      `          name: ${chance.one(NAMES)}`,
      '      - name: w',
      '        secret:',
      `          secretName: ${chance.one(NAMES)}`,
    );
  if (chance.is(0.2)) lines.push('      tolerations: [{key: a, operator: Exists}]');
  return lines.join('\n');
}

const KINDS: readonly Make[] = [
  (name, chance) =>
    `${head('apps/v1', 'Deployment', name, chance)}spec:\n  replicas: ${chance.one(['1', '"2"', 'null'])}\n ` +
    ` selector:\n    matchLabels: {app: web}\n${podSpec(chance)}\n`,
  (name, chance) =>
    `${head('apps/v1', 'StatefulSet', name, chance)}spec:\n  serviceName: ${chance.one(NAMES)}\n` +
    `${podSpec(chance)}\n  volumeClaimTemplates:\n  - metadata: {name: data}\n`,
  (name, chance) =>
    `${head('v1', 'ConfigMap', name, chance)}data:\n  host: example.com:80\n  value: ${chance.one(VALUES)}\n`,
  (name, chance) => `${head('v1', 'Secret', name, chance)}type: Opaque\nstringData:\n  a: ${chance.one(VALUES)}\n`,
  (name, chance) =>
    `${head('v1', 'Service', name, chance)}spec:\n  selector: {app: web}\n  ports:\n  - port: 80\n    ` +
    `targetPort: ${chance.one(['http', '8080', '"8080"'])}\n`,
  (name, chance) => `${head('v1', 'ServiceAccount', name, chance)}imagePullSecrets:\n- name: ${chance.one(NAMES)}\n`,
  (name, chance) =>
    `${head('example.com/v1', 'Thing', name, chance)}spec:\n  value: ${chance.one(VALUES)}\n  list:\n  - ` +
    `name: a\n    v: 1\n  - name: b\n  deep: {er: {est: ${chance.one(['1', 'x', '[]', '{}'])}}}\n`,
  (name, chance) =>
    head('rbac.authorization.k8s.io/v1', chance.one(['RoleBinding', 'ClusterRoleBinding']), name, chance) +
    `subjects:\n- kind: ServiceAccount\n  name: ${chance.one([...NAMES, 'default'])}` +
    `\n  namespace: ${chance.one(['one', 'two', 'default'])}` +
    '\nroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ' +
    `${chance.one(['Role', 'ClusterRole'])}\n  name: ${chance.one(NAMES)}\n`,
  (name, chance) =>
    `${head('rbac.authorization.k8s.io/v1', chance.one(['Role', 'ClusterRole']), name, chance)}rules:\n- ` +
    `apiGroups: [""]\n  resources: [configmaps]\n  resourceNames: [${chance.one(NAMES)}, other]\n  verbs: ` +
    '[get]\n',
  (name, chance) =>
    `${head('networking.k8s.io/v1', 'Ingress', name, chance)}spec:\n  tls:\n  - secretName: ` +
    `${chance.one(NAMES)}\n  rules:\n  - host: x.example.com\n    http:\n      paths:\n      - path: /\n    ` +
    `    backend:\n          service: {name: ${chance.one(NAMES)}, port: {number: 80}}\n`,
  (name, chance) =>
    `${head('autoscaling/v2', 'HorizontalPodAutoscaler', name, chance)}spec:\n  scaleTargetRef:\n    ` +
    `apiVersion: apps/v1\n    kind: ${chance.one(['Deployment', 'StatefulSet'])}\n    name: ` +
    `${chance.one(NAMES)}\n`,
  (name, chance) =>
    `${head('batch/v1', 'CronJob', name, chance)}spec:\n  schedule: "* * * * *"\n  jobTemplate:\n    spec:\n` +
    '      template:\n        spec:\n          containers:\n          - name: main\n            image: ' +
    `nginx\n            envFrom: [{configMapRef: {name: ${chance.one(NAMES)}}}]\n`,
  (name, chance) => head('v1', 'Namespace', name, chance),
  (name, chance) =>
    `${head('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', name, chance)}webhooks:\n- ` +
    `name: a.example.com\n  clientConfig:\n    service: {name: ${chance.one(NAMES)}, namespace: ` +
    `${chance.one(['one', 'default'])}}\n`,
];

/** What every build has, so that replacements, replicas and vars find something. */
const ALWAYS = [0, 2, 4];

/** A file of objects, no two of which are the same. */
export function randomResources(chance: Chance, most: number, folder: string): string {
  const documents = new Map<string, string>();
  if (folder === 'base0')
    for (const kind of ALWAYS) documents.set(`${kind} always`, KINDS[kind]?.('always', chance) ?? '');
  for (const _ of chance.times(1, most)) {
    const kind = chance.number(KINDS.length);
    const name = chance.one(NAMES);
    documents.set(`${kind} ${name}`, KINDS[kind]?.(name, chance) ?? '');
  }
  return [...documents.values()].join('---\n');
}
