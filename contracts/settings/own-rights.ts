import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, connect, loadKubeconfig, systemClock } from '../../src/cluster/index.js';
import { EventRecorder } from '../../src/control/telemetry/event-recorder.js';
import { SettingsOperator } from '../../src/control/settings/settings-operator.js';
import { readYaml } from '../../src/model/yaml/index.js';
import { plainLogger } from '../../src/model/logging/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { type ResourceRef, SERVICE_ACCOUNTS } from '../../src/model/resources/index.js';

const FILE = join(import.meta.dirname, '../../deploy/settings.yaml');
const USER = {
  user: 'system:serviceaccount:argocd:argosy-controller',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: [],
};

/** The operator with the rights of deploy/settings.yaml and no others; gives what it said and how to end it. */
export async function startWithOwnRights(
  admin: Cluster,
  kubeconfig: string,
): Promise<{ readonly log: readonly string[]; close(): Promise<void> }> {
  for (const { value } of readYaml(readFileSync(FILE, 'utf8'), {
    dialect: 'kubernetes',
    file: FILE,
    duplicates: 'error',
  })) {
    const object = value as KubeObject;
    const kind: ResourceRef =
      object.kind === 'ServiceAccount'
        ? SERVICE_ACCOUNTS
        : {
            group: 'rbac.authorization.k8s.io',
            version: 'v1',
            kind: object.kind,
            plural: `${object.kind.toLowerCase()}s`,
            namespaced: false,
          };
    await admin.create(kind, object);
  }
  const log: string[] = [];
  const world = {
    clock: systemClock,
    random: Math.random,
    report: (line: string): void => {
      log.push(line);
    },
  };
  const config = await loadKubeconfig({ path: kubeconfig, environment: {}, defaultPath: kubeconfig });
  const cluster = connect({ ...config, impersonate: USER }, world, { version: '0.0.0', environment: {} });
  const operator = new SettingsOperator({
    cluster,
    world,
    namespace: undefined,
    events: new EventRecorder({ cluster, clock: systemClock, log: plainLogger(world.report) }),
    log: plainLogger(world.report),
    mayWrite: () => true,
  });
  operator.open();
  return {
    log,
    close: async () => {
      await operator.close();
      await cluster.close();
    },
  };
}
