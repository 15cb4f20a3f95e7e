import { triage } from '@argosy-dev/argosy/triage';

// Objects as any client reads them. For a dump on disk: await triageFiles('dump.json').
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'api-7d9', namespace: 'shop', uid: 'pod-1' },
  spec: {
    nodeName: 'node-1',
    containers: [
      {
        name: 'api',
        image: 'shop/api:1.4',
        env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'database', key: 'password' } } }],
      },
    ],
  },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True' }],
    containerStatuses: [
      {
        name: 'api',
        image: 'shop/api:1.4',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "database" not found' } },
      },
    ],
  },
};

const report = triage({ objects: [pod], time: new Date('2026-01-01T12:00:00Z') });
for (const cause of report.causes) {
  console.log(`${cause.name} ${cause.title}`);
  console.log(`  fix: ${cause.fix?.say}`);
}
