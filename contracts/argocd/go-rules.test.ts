import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAssessor } from '../../src/health/assess.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { HealthStatus } from '../../src/model/argo/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ourCatalogue } from './compare.js';
import { gitopsEngineModule } from './module.js';

/** Argo CD's cases for its rules in Go, and what they say. It has two for kinds without a rule, which are left out. */
const CASES: Readonly<Record<string, HealthStatus>> = {
  'utils/kube/testdata/nginx.yaml': 'Healthy',
  'health/testdata/apiservice-v1-false.yaml': 'Progressing',
  'health/testdata/apiservice-v1-true.yaml': 'Healthy',
  'health/testdata/apiservice-v1beta1-false.yaml': 'Progressing',
  'health/testdata/apiservice-v1beta1-true.yaml': 'Healthy',
  'health/testdata/daemonset-ondelete.yaml': 'Healthy',
  'health/testdata/deployment-degraded.yaml': 'Degraded',
  'health/testdata/deployment-progressing.yaml': 'Progressing',
  'health/testdata/deployment-suspended.yaml': 'Suspended',
  'health/testdata/hpa-v1-degraded-failedgetobjectmetric.yaml': 'Degraded',
  'health/testdata/hpa-v1-degraded.yaml': 'Degraded',
  'health/testdata/hpa-v1-healthy-toofew.yaml': 'Healthy',
  'health/testdata/hpa-v1-healthy.yaml': 'Healthy',
  'health/testdata/hpa-v1-progressing-with-no-annotations.yaml': 'Progressing',
  'health/testdata/hpa-v1-progressing.yaml': 'Progressing',
  'health/testdata/hpa-v2-degraded.yaml': 'Degraded',
  'health/testdata/hpa-v2-healthy.yaml': 'Healthy',
  'health/testdata/hpa-v2-progressing.yaml': 'Progressing',
  'health/testdata/ingress-nonemptylist.yaml': 'Healthy',
  'health/testdata/ingress-unassigned.yaml': 'Progressing',
  'health/testdata/ingress.yaml': 'Healthy',
  'health/testdata/job-failed.yaml': 'Degraded',
  'health/testdata/job-running.yaml': 'Progressing',
  'health/testdata/job-succeeded.yaml': 'Healthy',
  'health/testdata/job-suspended.yaml': 'Suspended',
  'health/testdata/pod-crashloop.yaml': 'Degraded',
  'health/testdata/pod-deletion.yaml': 'Progressing',
  'health/testdata/pod-error.yaml': 'Degraded',
  'health/testdata/pod-failed.yaml': 'Degraded',
  'health/testdata/pod-imagepullbackoff.yaml': 'Degraded',
  'health/testdata/pod-pending.yaml': 'Progressing',
  'health/testdata/pod-running-not-ready.yaml': 'Progressing',
  'health/testdata/pod-running-restart-always.yaml': 'Healthy',
  'health/testdata/pod-running-restart-never.yaml': 'Progressing',
  'health/testdata/pod-running-restart-onfailure.yaml': 'Progressing',
  'health/testdata/pod-succeeded.yaml': 'Healthy',
  'health/testdata/pvc-bound.yaml': 'Healthy',
  'health/testdata/pvc-pending.yaml': 'Progressing',
  'health/testdata/statefulset-ondelete.yaml': 'Healthy',
  'health/testdata/statefulset.yaml': 'Healthy',
  'health/testdata/svc-clusterip.yaml': 'Healthy',
  'health/testdata/svc-loadbalancer-nonemptylist.yaml': 'Healthy',
  'health/testdata/svc-loadbalancer-unassigned.yaml': 'Progressing',
  'health/testdata/svc-loadbalancer.yaml': 'Healthy',
};

/** A kind that Argo CD judges in Go, in a version that it does not know. */
const STRANGE_VERSIONS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['apps/v1beta1', 'Deployment'],
  ['apps/v1beta2', 'StatefulSet'],
  ['apps/v1beta2', 'DaemonSet'],
  ['apps/v1beta2', 'ReplicaSet'],
  ['v2', 'Pod'],
  ['v2', 'Service'],
  ['v2', 'PersistentVolumeClaim'],
  ['batch/v2', 'Job'],
  ['autoscaling/v3', 'HorizontalPodAutoscaler'],
  ['apiregistration.k8s.io/v2', 'APIService'],
];

const engine = gitopsEngineModule();
const assessor = createAssessor({ catalogue: ourCatalogue(), now: () => 0 });

describe.skipIf(engine === undefined)(
  "Argo CD's cases for its rules in Go (skipped without Go or its module proxy)",
  () => {
    it.each(Object.entries(CASES))('%s is %s', (path, status) => {
      const file = join(engine ?? '', 'pkg', path);
      expect(
        assessor.assess(readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file }) as KubeObject)?.status,
      ).toBe(status);
    });
  },
);

describe('the rules in Go', () => {
  it.each(STRANGE_VERSIONS)('%s %s is unknown', (apiVersion, kind) => {
    expect(assessor.assess({ apiVersion, kind, metadata: { name: 'sample' } })?.status).toBe('Unknown');
  });

  it.each(['ConfigMap', 'Secret', 'ServiceAccount', 'Endpoints', 'ResourceQuota', 'LimitRange'])(
    'have no opinion on a %s',
    (kind) => {
      expect(assessor.assess({ apiVersion: 'v1', kind, metadata: { name: 'sample' } })).toBeUndefined();
    },
  );
});
