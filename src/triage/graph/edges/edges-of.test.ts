import { expect, it } from 'vitest';
import { readYaml } from '../../../model/yaml/index.js';
import { SnapshotBuilder } from '../../read/snapshot-builder.js';
import { Graph } from '../graph.js';
import { edgesOf } from './edges-of.js';

/** The edges of the first document, as `field -> kind/namespace/name phases`. */
function edges(text: string): string[] {
  const documents = readYaml(text, { dialect: 'kubernetes' }).map(({ value }) => value);
  const builder = new SnapshotBuilder();
  for (const value of documents) builder.add(value, 'test');
  const graph = new Graph(builder.build(0), edgesOf);
  const [first] = documents as [{ kind: string; metadata: { name: string } }];
  const node = graph.store.all().find(({ key }) => key.kind === first.kind && key.name === first.metadata.name);
  return node === undefined
    ? []
    : graph
        .edges(node)
        .map(
          ({ field, to, hard, grade }) =>
            `${field} -> ${to.key.kind} ${to.key.namespace}/${to.key.name} ${to.state} ` +
            `${grade}${hard ? '' : ' optional'}`,
        );
}

it.each([
  [
    'a pod its Secrets, claim, account, node and hosts',
    `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec:
  nodeName: w1
  serviceAccountName: sa
  imagePullSecrets: [{name: pull}]
  containers:
  - name: c
    image: ghcr.io/a/b:1
    env:
    - {name: A, valueFrom: {secretKeyRef: {name: s1, key: k}}}
    - {name: B, valueFrom: {configMapKeyRef: {name: c1, key: k, optional: true}}}
    - {name: DB_HOST, value: db.other.svc:5432}
    envFrom: [{secretRef: {name: s2}}]
  volumes:
  - {name: v, persistentVolumeClaim: {claimName: data}}
  - {name: w, projected: {sources: [{secret: {name: s3}}]}}
`,
    [
      'spec.containers[0].image -> Image /ghcr.io/a/b:1 virtual A',
      'spec.containers[0].env[0].valueFrom.secretKeyRef.name -> Secret shop/s1 unknown A',
      'spec.containers[0].env[1].valueFrom.configMapKeyRef.name -> ConfigMap shop/c1 unknown A optional',
      'spec.containers[0].envFrom[0].secretRef.name -> Secret shop/s2 unknown A',
      'spec.containers[0].env[2].value -> Service other/db unknown C',
      'spec.volumes[0].persistentVolumeClaim.claimName -> PersistentVolumeClaim shop/data unknown A',
      'spec.volumes[1].projected.sources[0].secret.name -> Secret shop/s3 unknown A',
      'spec.imagePullSecrets[0].name -> Secret shop/pull unknown A',
      'spec.serviceAccountName -> ServiceAccount shop/sa unknown A',
      'spec.nodeName -> Node /w1 unknown A',
    ],
  ],
  [
    'an ExternalSecret its store, of the kind that is meant where none is named',
    `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: e, namespace: shop}
spec: {secretStoreRef: {name: vault}, dataFrom: [{sourceRef: {storeRef: {name: other, kind: ClusterSecretStore}}}]}
`,
    [
      'spec.secretStoreRef -> SecretStore shop/vault unknown A',
      'spec.dataFrom[0].sourceRef.storeRef -> ClusterSecretStore /other unknown A',
    ],
  ],
  [
    'a store the Service at its address and its account',
    `
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec:
  provider:
    vault:
      server: "http://vault.vault.svc.cluster.local:8200"
      auth: {kubernetes: {role: r, serviceAccountRef: {name: eso, namespace: ext}}}
---
apiVersion: v1
kind: Service
metadata: {name: a, namespace: vault}
`,
    [
      'spec.provider.vault.server -> Service vault/vault ghost B',
      'spec.provider.vault.auth.kubernetes.serviceAccountRef.name -> ServiceAccount ext/eso unknown A',
    ],
  ],
  [
    'a StatefulSet its own claims and not those of one whose name begins alike',
    `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec: {serviceName: db, template: {spec: {containers: []}}, volumeClaimTemplates: [{metadata: {name: data}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, namespace: shop}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-old-0, namespace: shop}
`,
    [
      'spec.serviceName -> Service shop/db unknown A',
      'spec.volumeClaimTemplates -> PersistentVolumeClaim shop/data-db-0 present A',
    ],
  ],
  [
    'an Ingress its class, backends and certificates',
    `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: i, namespace: shop, annotations: {cert-manager.io/cluster-issuer: le}}
spec: {ingressClassName: nginx, rules: [{http: {paths: [{backend: {service: {name: web}}}]}}], tls: [{secretName: tls}]}
`,
    [
      'spec.ingressClassName -> IngressClass /nginx unknown A',
      'spec.rules[0].http.paths[0].backend.service.name -> Service shop/web unknown A',
      'spec.tls[0].secretName -> Secret shop/tls unknown A',
      "metadata.annotations['cert-manager.io/cluster-issuer'] -> ClusterIssuer /le unknown A",
    ],
  ],
  [
    'a claim its class and the pods that mount it',
    `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {storageClassName: fast}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}
`,
    [
      'spec.storageClassName -> StorageClass /fast unknown A',
      'Pod.spec.volumes[].persistentVolumeClaim.claimName -> Pod shop/p present A',
    ],
  ],
  [
    'a custom resource what it owns and what it names as all operators do',
    `
apiVersion: example.io/v1
kind: Database
metadata: {name: d, namespace: shop}
spec: {auth: {passwordSecretRef: {name: pw}}, tls: {secretName: crt}}
---
apiVersion: v1
kind: Pod
metadata: {name: d-0, namespace: shop, ownerReferences: [{apiVersion: example.io/v1, kind: Database, name: d, uid: u}]}
`,
    [
      'metadata.ownerReferences -> Pod shop/d-0 present A',
      'spec.auth.passwordSecretRef.name -> Secret shop/pw unknown A',
      'spec.tls.secretName -> Secret shop/crt unknown A',
    ],
  ],
])('%s', (_name, given, expected) => {
  expect(edges(given).sort()).toEqual([...expected].sort());
});
