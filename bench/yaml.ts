import { dump, loadAll } from 'js-yaml';
import { parseAllDocuments, stringify } from 'yaml';
import { readYaml, writeYaml } from '../src/model/yaml/index.js';

/** Reads and writes a few megabytes of manifests with our reader and writer, js-yaml and yaml, and prints MB/s. */

function deployment(name: string, index: number): string {
  return `---
# ${name}: frontend of the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: team-${index % 7}
  labels: {app.kubernetes.io/name: "${name}", app.kubernetes.io/part-of: shop}
  annotations:
    description: Serves the catalogue and the basket, talks to the stock service over gRPC and caches prices
    checksum/config: 6f1ed002ab5595859014ebf0951522d9a${index}
spec:
  replicas: ${index % 5}
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      serviceAccountName: ${name}
      containers:
        - name: server
          image: registry.example.com/shop/server:1.${index}.0
          args: ["--listen=:8080", "--log-level=info"]
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
          env:
            - name: STOCK_URL
              value: http://stock.team-${index % 7}.svc:9090/v1
            - name: CACHE_SECONDS
              value: "300"
          resources:
            limits: {cpu: 500m, memory: 256Mi}
            requests:
              cpu: 100m
              memory: 128Mi
          livenessProbe:
            httpGet: {path: /healthz, port: http}
            initialDelaySeconds: 5
          volumeMounts:
            - name: config
              mountPath: /etc/shop
              readOnly: true
      volumes:
        - name: config
          configMap:
            name: ${name}-config
`;
}

function configMap(name: string, index: number): string {
  return `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-config
data:
  enabled: 'yes'
  shop.yaml: |
    listen: 0.0.0.0:8080
    upstreams:
      - stock
      - price
    # Seconds.
    timeout: ${index % 60}
  motd: >-
    Welcome to the shop.
    Today is a good day.
`;
}

const text = Array.from(
  { length: 1500 },
  (_, index) => deployment(`shop-${index}`, index) + configMap(`shop-${index}`, index),
).join('');
const documents = readYaml(text, { dialect: 'kubernetes' }).map((document) => document.value);

/** The best of several runs, in MB/s: by the clock, and by processor time, which a busy machine does not change. */
function print(what: string, run: () => number): void {
  let [byClock, byProcessor] = [0, 0];
  for (let round = 0; round < 10; round++) {
    const start = performance.now();
    const used = process.cpuUsage();
    const megabytes = run() / 1e6;
    const { user, system } = process.cpuUsage(used);
    byClock = Math.max(byClock, megabytes / ((performance.now() - start) / 1e3));
    byProcessor = Math.max(byProcessor, megabytes / ((user + system) / 1e6));
  }
  console.log(
    `${what.padEnd(24)} ${byClock.toFixed(1).padStart(7)} MB/s ${byProcessor.toFixed(1).padStart(7)} MB per ` +
      'processor second',
  );
}

function read(parse: () => unknown): () => number {
  return () => {
    parse();
    return text.length;
  };
}

function write(one: (value: unknown) => string): () => number {
  return () => documents.reduce<number>((total, value) => total + one(value).length, 0);
}

console.log(`${(text.length / 1e6).toFixed(2)} MB, ${documents.length} documents; bar for reading: 15 MB/s`);
print(
  'read, ours (kubernetes)',
  read(() => readYaml(text, { dialect: 'kubernetes' })),
);
print(
  'read, ours (kyaml)',
  read(() => readYaml(text, { dialect: 'kyaml' })),
);
print(
  'read, js-yaml',
  read(() => loadAll(text)),
);
print(
  'read, yaml',
  read(() => parseAllDocuments(text).map((document) => document.toJS() as unknown)),
);
print('write, ours', () => documents.reduce<number>((total, value) => total + writeYaml(value).length, 0));
print(
  'write, js-yaml',
  write((value) => dump(value, { sortKeys: true })),
);
print(
  'write, yaml',
  write((value) => stringify(value)),
);
