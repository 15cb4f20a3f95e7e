import type { Injector } from '../injection/injector.js';
import { NAMESPACE } from '../injection/names.js';
import { app, applicationRef, claimRef, deploymentRef, jobRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';

/** Two or more that wait for each other: nothing is broken, and nothing goes on. */
export const DEADLOCKS: readonly Injector[] = [
  {
    name: 'claim-that-waits-for-a-later-wave',
    because: 'a claim binds with its first pod, the pod is of a later wave, and the wave waits for the claim',
    kind: 'cycle',
    inject(scene) {
      scene.pick(['archive']);
      scene.plain('archive', 'claim', { metadata: { name: 'archive-more' } });
      const file = scene.plain('archive', 'deployment', {
        metadata: { annotations: { 'argocd.argoproj.io/sync-wave': '5' } },
        spec: {
          template: { spec: { volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'archive-more' } }] } },
        },
      });
      return {
        roots: [
          {
            object: claimRef('archive-more'),
            field: 'metadata.annotations["argocd.argoproj.io/sync-wave"]',
            value: '1',
            also: [deploymentRef('archive')],
            file,
          },
        ],
        applications: [app('archive')],
        signs: [
          { object: claimRef('archive-more'), shows: { status: { phase: 'Pending' } } },
          {
            object: claimRef('archive-more'),
            event: { reason: 'WaitForFirstConsumer', words: 'waiting for first consumer' },
          },
        ],
      };
    },
  },
  {
    name: 'hook-that-waits-for-what-comes-after-it',
    because: 'a PreSync hook waits for an object that only the sync after it creates',
    kind: 'cycle',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'hook');
      scene.file(
        plainFile(name, 'schema'),
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}-schema, namespace: ${NAMESPACE}}\ndata: ` +
          '{version: "7"}\n',
      );
      scene.file(
        plainFile(name, 'role'),
        `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: ${name}-wait, namespace: ` +
          `${NAMESPACE}, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/sync-wave: ` +
          '"-1"}}\nrules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]\n',
      );
      scene.file(
        plainFile(name, 'binding'),
        `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: ${name}-wait, ` +
          `namespace: ${NAMESPACE}, annotations: {argocd.argoproj.io/hook: PreSync, ` +
          'argocd.argoproj.io/sync-wave: "-1"}}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, ' +
          `name: ${name}-wait}\nsubjects: [{kind: ServiceAccount, name: ${name}, namespace: ${NAMESPACE}}]\n`,
      );
      const waitsFor = `{"group": "", "resource": "configmaps", "name": "${name}-schema", "every": "10s"}`;
      const script = `until kubectl get configmap ${name}-schema; do sleep 10; done`;
      scene.file(
        file,
        `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}-wait
  namespace: ${NAMESPACE}
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  backoffLimit: 2
  template:
    metadata:
      labels: {app.kubernetes.io/name: ${name}-wait}
      annotations:
        argosy.dev/simulate: '{"wait": {"log": ["waiting for ${name}-schema"], "waitsFor": ${waitsFor}}}'
    spec:
      serviceAccountName: ${name}
      restartPolicy: Never
      nodeSelector: {ameide.io/pool: brook}
      tolerations: [{key: ameide.io/environment, value: brook, effect: NoSchedule}]
      containers:
      - {name: wait, image: "bitnami/kubectl:1.34", command: [/bin/sh, -c], args: ["${script}"]}
`,
      );
      return {
        roots: [
          {
            object: jobRef(`${name}-wait`),
            field: 'metadata.annotations["argocd.argoproj.io/hook"]',
            value: 'PreSync',
            also: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: `${name}-schema` }],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: `${name}-schema` },
            isAbsent: true,
          },
          { object: jobRef(`${name}-wait`), shows: { status: { active: 1 } } },
          {
            object: applicationRef(app(name)),
            shows: { status: { operationState: { phase: 'Running', message: '~waiting for completion of hook' } } },
          },
        ],
      };
    },
  },
];
