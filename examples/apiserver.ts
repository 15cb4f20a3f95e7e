import { request } from 'node:https';
import { startApiServer } from '@argosy-dev/argosy/apiserver';

const server = await startApiServer({
  objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
});

// Any client works: with server.kubeconfig, or with the url and the credentials.
const version = await new Promise<string>((resolve, reject) => {
  request(`${server.url}/version`, server.credentials, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve(text));
  })
    .on('error', reject)
    .end();
});
console.log(`Kubernetes 1.${JSON.parse(version).minor}`);

await server.apply({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
});

// The controllers of Kubernetes run: pods are created, scheduled and become Ready, without a container engine.
for (;;) {
  const web = await server.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' });
  const status = web?.status as { readyReplicas?: number } | undefined;
  if (status?.readyReplicas === 2) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
console.log('web is ready');
await server.stop();
