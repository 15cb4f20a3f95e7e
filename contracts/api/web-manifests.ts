/** A small application: a Deployment behind a Service, and a Secret whose value must never be seen. */
export const CANARY = 'canary-7f3a91';

export const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "registry.example.com/web:1.0"}]}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: web}
stringData: {password: ${CANARY}}
`;

export function webApplication(repository: string, name = 'web'): object {
  return {
    metadata: { name, labels: { team: 'shop' } },
    spec: {
      project: 'default',
      source: { repoURL: `file://${repository}`, path: 'web', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { syncOptions: ['CreateNamespace=true'] },
    },
  };
}
