import { expect, it } from 'vitest';
import { SnapshotBuilder } from '../../triage/index.js';
import { triageWithCatalogue } from './testing/catalogue-triage.js';

const argocd = (data: Record<string, string>, owner?: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'argocd-cm',
    namespace: 'argocd',
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'argoproj.io/v1beta1', kind: 'ArgoCD', name: owner, uid: '1' }] }),
  },
  data,
});

function rulesOf(...objects: object[]): string[] {
  const builder = new SnapshotBuilder();
  for (const object of objects) builder.add(object, 'test');
  return triageWithCatalogue(builder.build(0)).causes.map(
    ({ severity, rule, field }) => `${severity} ${rule} ${field}`,
  );
}

it('finds health checks that mask failures', () => {
  expect(
    rulesOf(
      argocd({ 'resource.customizations.health.PersistentVolumeClaim': 'hs = {}\nhs.status = "Healthy"\nreturn hs' }),
    ),
  ).toEqual(["P2 A34 data['resource.customizations.health.PersistentVolumeClaim']"]);
});

it('finds health checks under keys that are never read', () => {
  const check =
    'hs = {status = "Progressing"}\nif obj.status ~= nil and obj.status.phase == "Failed" then hs.status = ' +
    '"Degraded" end\nif obj.status ~= nil and obj.status.phase == "Succeeded" then hs.status = "Healthy" ' +
    'end\nreturn hs';
  expect(rulesOf(argocd({ 'resource.customizations.health.mlops.mlops.dev/NotebookValidationJob': check }))).toEqual([
    "P2 A35 data['resource.customizations.health.mlops.mlops.dev/NotebookValidationJob']",
  ]);
});

it('finds health checks of values that the CRD does not have', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'trainings.train.example.io' },
    spec: {
      group: 'train.example.io',
      names: { kind: 'Training', plural: 'trainings' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                status: {
                  type: 'object',
                  properties: { phase: { type: 'string', enum: ['Running', 'Done', 'Broken'] } },
                },
              },
            },
          },
        },
      ],
    },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  };
  const check =
    'hs = {status = "Progressing"}\nif obj.status ~= nil and obj.status.phase == "success" then hs.status = ' +
    '"Healthy" end\nif obj.status ~= nil and obj.status.phase == "Broken" then hs.status = "Degraded" end\n' +
    'return hs';
  expect(rulesOf(crd, argocd({ 'resource.customizations.health.train.example.io_Training': check }))).toContain(
    "P2 A37 data['resource.customizations.health.train.example.io_Training']",
  );
});

it('finds an edit that the operator reverts', () => {
  const check =
    'hs = {status = "Progressing"}\nif obj.status ~= nil and obj.status.phase == "Failed" then hs.status = ' +
    '"Degraded" end\nif obj.status ~= nil and obj.status.phase == "Succeeded" then hs.status = "Healthy" ' +
    'end\nreturn hs';
  const owner = {
    apiVersion: 'argoproj.io/v1beta1',
    kind: 'ArgoCD',
    metadata: { name: 'argocd', namespace: 'argocd' },
    spec: {},
    status: { phase: 'Available' },
  };
  expect(
    rulesOf(
      owner,
      argocd({ 'resource.customizations.health.mlops.mlops.dev_NotebookValidationJob': check }, 'argocd'),
    ).some((line) => line.startsWith('P2 A38')),
  ).toBe(true);
});

const moved = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'argocd' },
  spec: {
    project: 'shop',
    source: { repoURL: 'https://git.example/platform.git', path: 'apps/web', targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
    syncPolicy: { automated: {} },
  },
  status: {
    health: { status: 'Healthy' },
    sync: { status: 'OutOfSync', revision: 'b' },
    resources: [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'OutOfSync' }],
    operationState: { phase: 'Succeeded', syncResult: { revision: 'a' } },
  },
};
const projectWith = (...syncWindows: object[]): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { syncWindows },
});
const always = { schedule: '* * * * *', duration: '1h', applications: ['*'] };

it('blames the sync window that blocks an application, and only while it does', () => {
  const inJuly = { ...always, schedule: '0 12 1 7 *' };
  expect(rulesOf(moved, projectWith({ kind: 'allow', ...inJuly }))).toEqual(['P2 A43 spec.syncWindows[0]']);
  expect(rulesOf(moved, projectWith({ kind: 'allow', ...always }, { kind: 'deny', ...always }))).toEqual([
    'P2 A43 spec.syncWindows[1]',
  ]);
  expect(rulesOf(moved, projectWith({ kind: 'allow', ...always }))).toEqual(['P3 A51 ']);
  expect(rulesOf(moved, projectWith({ kind: 'deny', ...always, applications: ['other'] }))).toEqual(['P3 A51 ']);
});
