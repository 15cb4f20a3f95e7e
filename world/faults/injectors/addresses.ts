import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { NAMESPACE } from '../injection/names.js';
import { app, configMapRef, deploymentRef, podRef, refOf, serviceRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';
import { addObject, crashing, inNamespace, wrongDeployment } from './shapes.js';

const labels = (name: string): JsonObject => ({ 'app.kubernetes.io/name': name });
const notReady = (name: string): Sign => ({
  object: podRef(`${name}-*`),
  shows: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }] } },
});
const gaveUp = (name: string, words: string): Sign[] => [
  { object: podRef(`${name}-*`), shows: crashing({ exitCode: 1 }) },
  { object: podRef(`${name}-*`), log: words },
];

/** Nobody else touches the programs that dial each other. */
function takeChain(scene: Scene): void {
  for (const name of ['purchases-db', 'purchases', 'storefront']) scene.pick([name], name);
}

function takeLedger(scene: Scene): void {
  for (const name of ['ledger', 'invoices']) scene.pick([name], name);
}

/** Something between the storefront and what it dials was changed; its pods are made anew and give up. */
function storefrontGivesUp(scene: Scene, root: Root, words: string): Injection {
  scene.play(60);
  scene.remove(podRef('storefront-*'));
  return { roots: [root], applications: [app('storefront')], signs: gaveUp('storefront', words) };
}

/**
 * The ledger does not answer the invoices any more; they run on and are not ready, nor are new ones, which say why when
 * they start.
 */
function invoicesWait(scene: Scene, root: Root, words: string): Injection {
  scene.play(60);
  scene.remove(podRef('invoices-*'));
  return {
    roots: [root],
    applications: [app('invoices')],
    signs: [notReady('invoices'), { object: podRef('invoices-*'), log: words }],
  };
}

const policy = (name: string, of: string, spec: JsonObject): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: inNamespace(name),
  spec: { podSelector: { matchLabels: labels(of) }, ...spec },
});
const coredns = { namespace: 'kube-system', name: 'coredns' };

/** Programs that dial, and what stands between them and an answer. */
export const ADDRESSES: readonly Injector[] = [
  {
    name: 'address-of-a-service-that-is-not-there',
    because: 'a variable has the name of a Service that does not exist',
    inject(scene) {
      takeChain(scene);
      const address = `postgres://purchases-database.${NAMESPACE}.svc:5432/purchases`;
      const file = scene.container('purchases', 'deployment', { env: [{ name: 'DATABASE_URL', value: address }] });
      return wrongDeployment(
        'purchases',
        {
          field: 'spec.template.spec.containers[0].env[0].value',
          value: address,
          also: [serviceRef('purchases-database')],
          file,
        },
        { shows: crashing({ exitCode: 1 }) },
        { log: 'no such host' },
      );
    },
  },
  {
    name: 'address-in-another-namespace',
    because: 'a variable looks for the database in a namespace that has none',
    inject(scene) {
      takeChain(scene);
      const address = 'postgres://purchases-db.default.svc:5432/purchases';
      const file = scene.container('purchases', 'deployment', { env: [{ name: 'DATABASE_URL', value: address }] });
      return wrongDeployment(
        'purchases',
        { field: 'spec.template.spec.containers[0].env[0].value', value: address, file },
        { shows: crashing({ exitCode: 1 }) },
        { log: 'no such host' },
      );
    },
  },
  {
    name: 'address-with-a-wrong-port',
    because: 'a variable has a port that the Service does not have',
    inject(scene) {
      takeChain(scene);
      const address = `postgres://purchases-db.${NAMESPACE}.svc:5433/purchases`;
      const file = scene.container('purchases', 'deployment', { env: [{ name: 'DATABASE_URL', value: address }] });
      return wrongDeployment(
        'purchases',
        {
          field: 'spec.template.spec.containers[0].env[0].value',
          value: address,
          also: [serviceRef('purchases-db')],
          file,
        },
        { shows: crashing({ exitCode: 1 }) },
        { log: ':5433: i/o timeout' },
      );
    },
  },
  {
    name: 'address-in-a-config-map-that-is-wrong',
    because: 'a ConfigMap gives a program a wrong address',
    inject(scene) {
      takeChain(scene);
      const file = scene.plain('storefront', 'config', { data: { 'purchases-address': 'purchase:80' } });
      return storefrontGivesUp(
        scene,
        {
          object: configMapRef('storefront'),
          field: 'data["purchases-address"]',
          value: 'purchase:80',
          also: [deploymentRef('storefront'), serviceRef('purchase')],
          file,
        },
        'lookup purchase on',
      );
    },
  },
  {
    name: 'service-that-selects-nobody',
    because: 'the selector of a Service matches no pod',
    inject(scene) {
      takeChain(scene);
      const file = scene.plain('purchases', 'service', {
        spec: { selector: { 'app.kubernetes.io/name': 'purchase' } },
      });
      return storefrontGivesUp(
        scene,
        { object: serviceRef('purchases'), field: 'spec.selector["app.kubernetes.io/name"]', value: 'purchase', file },
        'connection refused',
      );
    },
  },
  {
    name: 'service-that-sends-to-a-wrong-port',
    because: 'a Service sends to a port on which no container listens',
    inject(scene) {
      takeChain(scene);
      const file = scene.plain('purchases', 'service', {
        spec: { ports: [{ name: 'http', port: 80, targetPort: 8181 }] },
      });
      return storefrontGivesUp(
        scene,
        {
          object: serviceRef('purchases'),
          field: 'spec.ports[0].targetPort',
          value: 8181,
          also: [deploymentRef('purchases')],
          file,
        },
        'connection refused',
      );
    },
  },
  {
    name: 'service-with-a-port-name-that-no-container-has',
    because: 'a Service names a port that no container has',
    inject(scene) {
      takeLedger(scene);
      const file = scene.plain('ledger', 'service', {
        spec: { ports: [{ name: 'http', port: 9000, targetPort: 'web' }] },
      });
      return invoicesWait(
        scene,
        {
          object: serviceRef('ledger'),
          field: 'spec.ports[0].targetPort',
          value: 'web',
          also: [deploymentRef('ledger')],
          file,
        },
        'connection refused',
      );
    },
  },
  {
    name: 'service-whose-port-was-changed',
    because: 'a Service has another port than the one that is dialled',
    inject(scene) {
      takeLedger(scene);
      const file = scene.plain('ledger', 'service', {
        spec: { ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
      });
      return invoicesWait(
        scene,
        {
          object: serviceRef('ledger'),
          field: 'spec.ports[0].port',
          value: 80,
          also: [deploymentRef('invoices')],
          file,
        },
        ':9000: i/o timeout',
      );
    },
  },
  {
    name: 'back-end-without-replicas',
    because: 'what a program needs to be ready was scaled away',
    inject(scene) {
      takeLedger(scene);
      const file = scene.plain('ledger', 'deployment', { spec: { replicas: 0 } });
      return invoicesWait(
        scene,
        { object: deploymentRef('ledger'), field: 'spec.replicas', value: 0, file },
        'connection refused',
      );
    },
  },
  {
    name: 'back-end-that-crashes',
    because: 'what a program needs to be ready was started with a flag that it does not know',
    inject(scene) {
      takeLedger(scene);
      scene.program('ledger', { '*': { exitCode: 2, after: '1s', log: ['unknown flag: --fsync'] } });
      scene.plain('ledger', 'deployment', { spec: { strategy: { type: 'Recreate' } } });
      const file = scene.container('ledger', 'deployment', { args: ['--fsync=always'] });
      return {
        roots: [
          {
            object: deploymentRef('ledger'),
            field: 'spec.template.spec.containers[0].args[0]',
            value: '--fsync=always',
            file,
          },
        ],
        applications: [app('ledger'), app('invoices')],
        signs: [
          { object: podRef('ledger-*'), shows: crashing({ exitCode: 2 }) },
          { object: podRef('ledger-*'), log: 'unknown flag' },
          notReady('invoices'),
        ],
      };
    },
  },
  {
    name: 'policy-that-lets-nobody-in',
    because: 'a network policy lets nobody reach the pods that others need',
    inject(scene) {
      takeLedger(scene);
      const object = policy('ledger-closed', 'ledger', {
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: { matchLabels: { role: 'auditor' } } }] }],
      });
      const file = addObject(scene, 'ledger', 'policy', object);
      return invoicesWait(
        scene,
        {
          object: refOf(object),
          field: 'spec.ingress[0].from[0].podSelector.matchLabels.role',
          value: 'auditor',
          file,
        },
        'i/o timeout',
      );
    },
  },
  {
    name: 'policy-that-lets-nothing-out',
    because: 'a network policy forbids a program to ask for names and to reach anything',
    inject(scene) {
      takeChain(scene);
      const object = policy('storefront-quiet', 'storefront', { policyTypes: ['Egress'], egress: [] });
      const file = addObject(scene, 'storefront', 'policy', object);
      return storefrontGivesUp(
        scene,
        { object: refOf(object), field: 'spec.egress', value: [], also: [deploymentRef('storefront')], file },
        '10.0.0.10:53: i/o timeout',
      );
    },
  },
  {
    name: 'policy-that-forgets-a-neighbour',
    because: 'a network policy lets a program ask for names and forgets whom it needs',
    inject(scene) {
      takeChain(scene);
      const object = policy('storefront-outward', 'storefront', {
        policyTypes: ['Egress'],
        egress: [
          { ports: [{ port: 53, protocol: 'UDP' }], to: [{ namespaceSelector: {} }] },
          { to: [{ podSelector: { matchLabels: labels('basket') } }] },
        ],
      });
      const file = addObject(scene, 'storefront', 'policy', object);
      return storefrontGivesUp(
        scene,
        { object: refOf(object), field: 'spec.egress', value: null, also: [deploymentRef('storefront')], file },
        ':80: i/o timeout',
      );
    },
  },
  {
    name: 'name-server-of-the-node',
    because: 'a pod asks the name server of its node, which does not know Services',
    inject(scene) {
      takeChain(scene);
      const file = scene.plain('purchases', 'deployment', { spec: { template: { spec: { dnsPolicy: 'Default' } } } });
      return wrongDeployment(
        'purchases',
        { field: 'spec.template.spec.dnsPolicy', value: 'Default', file },
        { shows: crashing({ exitCode: 1 }) },
        { log: 'no such host' },
      );
    },
  },
  {
    name: 'name-server-without-replicas',
    because: 'nobody answers for names in the whole cluster',
    isBroad: true,
    inject(scene) {
      scene.patch({ apiVersion: 'apps/v1', kind: 'Deployment', ...coredns }, { spec: { replicas: 0 } });
      scene.play(40);
      scene.remove(podRef('purchases-*'));
      scene.remove(podRef('storefront-*'));
      return {
        roots: [
          { object: { apiVersion: 'apps/v1', kind: 'Deployment', ...coredns }, field: 'spec.replicas', value: 0 },
        ],
        applications: ['purchases', 'storefront', 'invoices'].map((name) => app(name)),
        signs: [
          ...gaveUp('purchases', '10.0.0.10:53: i/o timeout'),
          ...gaveUp('storefront', '10.0.0.10:53: i/o timeout'),
          notReady('invoices'),
        ],
      };
    },
  },
  {
    name: 'name-server-with-a-broken-configuration',
    because: 'the configuration of the name server cannot be read, so it does not start',
    isBroad: true,
    inject(scene) {
      const pods = { apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system', name: 'coredns-*' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', ...coredns };
      scene.patch(object, {
        data: { Corefile: '.:53 {\n  errors\n  kubernetes cluster.local\n  forwrad . /etc/resolv.conf\n}\n' },
      });
      scene.program('coredns', {
        '*': {
          exitCode: 1,
          after: '1s',
          log: ["/etc/coredns/Corefile:4 - Error during parsing: Unknown directive 'forwrad'"],
        },
      });
      scene.remove(pods);
      scene.play(40);
      scene.remove(podRef('purchases-*'));
      return {
        roots: [
          {
            object,
            field: 'data.Corefile',
            value: null,
            also: [{ apiVersion: 'apps/v1', kind: 'Deployment', ...coredns }],
          },
        ],
        applications: ['purchases', 'invoices'].map((name) => app(name)),
        signs: [
          { object: pods, shows: crashing({ exitCode: 1 }) },
          { object: pods, log: "Unknown directive 'forwrad'" },
          ...gaveUp('purchases', 'i/o timeout'),
          notReady('invoices'),
        ],
      };
    },
  },
];
