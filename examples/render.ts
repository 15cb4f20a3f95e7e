import { render } from '@argosy-dev/argosy/render';

// A folder or a packaged chart works the same: render('charts/shop', { valueFiles: ['prod.yaml'] }).
const chart = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'values.yaml': 'replicas: 1\nimage: shop:1.4\n',
  'templates/deployment.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      containers: [{ name: shop, image: {{ .Values.image }} }]
`,
};

const { type, manifests } = render(chart, { releaseName: 'shop', values: { replicas: 3 } });
for (const { object, origin } of manifests) {
  const { replicas } = object.spec as { replicas: number };
  console.log(`${type}: ${object.kind} ${object.metadata.name} with ${replicas} replicas, from ${origin.file}`);
}
