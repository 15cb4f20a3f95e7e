import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root } from '../injection/label.js';
import { NAMESPACE } from '../injection/names.js';
import { app, podRef, secretRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';
import { addObject, inNamespace, waiting, wrongDeployment } from './shapes.js';

const RBAC = 'rbac.authorization.k8s.io';
const rbac = (kind: string, name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  namespace: NAMESPACE,
  name,
});
const role = (name: string, verbs: readonly string[]): KubeObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'Role',
  metadata: inNamespace(name),
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: [...verbs] }],
});
const binding = (name: string, to: string, account: string, namespace = NAMESPACE): KubeObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: inNamespace(name),
  roleRef: { apiGroup: RBAC, kind: 'Role', name: to },
  subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
});

/** A container that looks for an object with the account of its pod before the others start. */
function waitForConfigMap(scene: Scene, name: string, root: Root, words: string): Injection {
  scene.program(name, {
    look: {
      log: [`waiting for the ConfigMap ${name}-rules`],
      waitsFor: { group: '', resource: 'configmaps', name: `${name}-rules`, every: '10s' },
    },
  });
  scene.plain(name, 'deployment', {
    spec: {
      template: {
        spec: {
          initContainers: [
            {
              name: 'look',
              image: 'bitnami/kubectl:1.34',
              command: ['/bin/sh', '-c'],
              args: [`until kubectl get configmap ${name}-rules; do sleep 10; done`],
            },
          ],
        },
      },
    },
  });
  return {
    roots: [root],
    applications: [app(name)],
    signs: [
      { object: podRef(`${name}-*`), log: words },
      { object: podRef(`${name}-*`), shows: { status: { conditions: [{ type: 'Initialized', status: 'False' }] } } },
    ],
  };
}

const needs = (name: string, key: string): JsonObject => ({
  env: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name, key } } }],
});

/** Accounts without rights, and Secrets that cannot be reached. */
export const RIGHTS: readonly Injector[] = [
  {
    name: 'account-that-nothing-is-allowed',
    because: 'a program asks the server, and no binding gives its account any right',
    inject(scene) {
      const name = scene.service();
      const file = addObject(scene, name, 'role', role(`${name}-look`, ['get', 'list']));
      return waitForConfigMap(
        scene,
        name,
        {
          object: rbac('RoleBinding', `${name}-look`),
          field: 'metadata.name',
          value: null,
          also: [
            { apiVersion: 'v1', kind: 'ServiceAccount', namespace: NAMESPACE, name },
            rbac('Role', `${name}-look`),
          ],
          file,
        },
        'forbidden',
      );
    },
  },
  {
    name: 'role-without-the-verb',
    because: 'the role of a program lets it list and not get',
    inject(scene) {
      const name = scene.service();
      const file = addObject(scene, name, 'role', role(`${name}-look`, ['list', 'watch']));
      addObject(scene, name, 'binding', binding(`${name}-look`, `${name}-look`, name));
      return waitForConfigMap(
        scene,
        name,
        { object: rbac('Role', `${name}-look`), field: 'rules[0].verbs', value: ['list', 'watch'], file },
        'forbidden',
      );
    },
  },
  {
    name: 'binding-of-another-account',
    because: 'a binding names the account of another namespace',
    inject(scene) {
      const name = scene.service();
      addObject(scene, name, 'role', role(`${name}-look`, ['get', 'list']));
      const file = addObject(scene, name, 'binding', binding(`${name}-look`, `${name}-look`, name, 'default'));
      return waitForConfigMap(
        scene,
        name,
        { object: rbac('RoleBinding', `${name}-look`), field: 'subjects[0].namespace', value: 'default', file },
        'forbidden',
      );
    },
  },
  {
    name: 'binding-of-a-role-that-is-not-there',
    because: 'a binding names a role that nobody made',
    inject(scene) {
      const name = scene.service();
      const file = addObject(scene, name, 'binding', binding(`${name}-look`, `${name}-reader`, name));
      return waitForConfigMap(
        scene,
        name,
        {
          object: rbac('RoleBinding', `${name}-look`),
          field: 'roleRef.name',
          value: `${name}-reader`,
          also: [rbac('Role', `${name}-reader`)],
          file,
        },
        'forbidden',
      );
    },
  },
  {
    name: 'secret-that-is-in-another-namespace',
    because: 'a Secret was made in another namespace than the pod that reads it',
    inject(scene) {
      const name = scene.service();
      const other = scene.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${name}-partner`, namespace: 'default' },
        stringData: { token: 'not-a-real-token' },
      });
      const file = scene.container(name, 'deployment', needs(`${name}-partner`, 'token'));
      return wrongDeployment(
        name,
        {
          field: 'spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.name',
          value: `${name}-partner`,
          also: [secretRef(`${name}-partner`), other],
          file,
        },
        { shows: waiting('CreateContainerConfigError', `secret "${name}-partner" not found`) },
      );
    },
  },
  {
    name: 'secret-volume-that-is-not-there',
    because: 'a volume names a Secret that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { volumes: [{ name: 'rules', secret: { secretName: `${name}-rules-key` } }] } } },
      });
      return wrongDeployment(
        name,
        {
          field: 'spec.template.spec.volumes[0].secret.secretName',
          value: `${name}-rules-key`,
          also: [secretRef(`${name}-rules-key`)],
          file,
        },
        { event: { reason: 'FailedMount', words: `secret "${name}-rules-key" not found` } },
      );
    },
  },
  {
    name: 'file-that-the-config-map-does-not-have',
    because: 'a volume shows a key that its ConfigMap does not have',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: {
          template: {
            spec: {
              volumes: [
                {
                  name: 'rules',
                  configMap: { name: `${name}-rules`, items: [{ key: 'rules.json', path: 'rules.json' }] },
                },
              ],
            },
          },
        },
      });
      return wrongDeployment(
        name,
        {
          field: 'spec.template.spec.volumes[0].configMap.items[0].key',
          value: 'rules.json',
          also: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: `${name}-rules` }],
          file,
        },
        { event: { reason: 'FailedMount', words: 'references non-existent config key: rules.json' } },
      );
    },
  },
  {
    name: 'claim-that-nobody-made',
    because: 'a pod mounts a claim that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: {
          template: { spec: { volumes: [{ name: 'rules', persistentVolumeClaim: { claimName: `${name}-files` } }] } },
        },
      });
      return wrongDeployment(
        name,
        {
          field: 'spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
          value: `${name}-files`,
          also: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE, name: `${name}-files` }],
          file,
        },
        { event: { reason: 'FailedScheduling', words: `persistentvolumeclaim "${name}-files" not found` } },
      );
    },
  },
];
