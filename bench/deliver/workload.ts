import { writeJson, type JsonObject } from '../../src/model/json/index.js';

/**
 * Ten resources that are Healthy without a node: what is measured is delivery, not the start of pods. A Deployment
 * without replicas still needs the real kube-controller-manager to see its generation before it is Healthy.
 */
export function tenResources(application: string, version: number, wave?: number): JsonObject[] {
  const prefix = wave === undefined ? '' : `wave-${wave}-`;
  const labels = { app: application };
  const metadata = (name: string): JsonObject => ({
    name: `${prefix}${name}`,
    labels,
    ...(wave === undefined ? {} : { annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } }),
  });
  const configMap = (name: string, data: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(name),
    data,
  });
  const rbac = 'rbac.authorization.k8s.io';
  return [
    configMap('settings', { application, version: String(version) }),
    configMap('logging', { level: 'info', format: 'json' }),
    configMap('features', { checkout: 'on', search: 'off' }),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('credentials'),
      type: 'Opaque',
      stringData: { password: application },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('runner') },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: metadata('reader'),
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: metadata('reader'),
      roleRef: { apiGroup: rbac, kind: 'Role', name: `${prefix}reader` },
      subjects: [{ kind: 'ServiceAccount', name: `${prefix}runner` }],
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('web'),
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('web'),
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: `${prefix}runner`,
            containers: [
              {
                name: 'web',
                image: 'registry.example.com/web:1.0',
                ports: [{ containerPort: 8080 }],
                resources: { requests: { cpu: '50m', memory: '64Mi' } },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: metadata('web'),
      spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'] },
    },
  ];
}

export function manifests(objects: readonly JsonObject[]): string {
  return objects.map((object) => `${writeJson(object)}\n`).join('---\n');
}

export function applicationName(index: number): string {
  return `app-${String(index).padStart(4, '0')}`;
}

/** The repository's files for so many applications: one folder each, one file for what changes and one for the rest. */
export function fleetFiles(count: number, version: number, from = 0): Record<string, string> {
  const files: Record<string, string> = {};
  for (let index = from; index < from + count; index++) {
    const name = applicationName(index);
    const [settings, ...rest] = tenResources(name, version);
    files[`apps/${name}/settings.yaml`] = manifests(settings === undefined ? [] : [settings]);
    files[`apps/${name}/rest.yaml`] = manifests(rest);
  }
  return files;
}

/** One application of so many ConfigMaps of a kilobyte; one file for each hundred. */
export function largeFiles(
  count: number,
  changed?: { readonly index: number; readonly version: number },
): Record<string, string> {
  const files: Record<string, string> = {};
  for (let page = 0; page * 100 < count; page++) {
    const maps = Array.from({ length: Math.min(100, count - page * 100) }, (_, offset): JsonObject => {
      const index = page * 100 + offset;
      return {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `part-${index}` },
        data: { version: String(changed?.index === index ? changed.version : 1), text: `part ${index} `.repeat(80) },
      };
    });
    files[`large/part-${page}.yaml`] = manifests(maps);
  }
  return files;
}

export function waveFiles(waves: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: waves }, (_, wave) => [`waves/wave-${wave}.yaml`, manifests(tenResources('waves', 1, wave))]),
  );
}

/** Waves that each wait for a load balancer, which nobody gives but the benchmark. */
export function gateFiles(waves: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: waves }, (_, wave) => {
      const annotations = { 'argocd.argoproj.io/sync-wave': String(wave) };
      return [
        `gates/wave-${wave}.yaml`,
        manifests([
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `begun-${wave}`, annotations } },
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: `gate-${wave}`, annotations },
            spec: { type: 'LoadBalancer', selector: { app: 'none' }, ports: [{ port: 80 }] },
          },
        ]),
      ];
    }),
  );
}
