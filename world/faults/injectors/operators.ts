import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injector } from '../injection/injector.js';
import { NAMESPACE } from '../injection/names.js';
import { app, claimRef, externalSecretRef, podRef, refOf, secretRef, serviceRef } from '../injection/object-refs.js';
import { addObject, inNamespace, waiting, wrongObject } from './shapes.js';

const operator = (name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: name,
  name,
});
const certificate = (name: string, issuer: string, kind = 'Issuer', secretName = `${name}-tls`): KubeObject => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: inNamespace(name),
  spec: { secretName, dnsNames: [`${name}.ameide.example.com`], issuerRef: { name: issuer, kind } },
});
const ingress = (name: string, service: string, port: number, tls?: string): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: inNamespace(name),
  spec: {
    ingressClassName: 'nginx',
    ...(tls === undefined ? {} : { tls: [{ hosts: [`${name}.ameide.example.com`], secretName: tls }] }),
    rules: [
      {
        host: `${name}.ameide.example.com`,
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { number: port } } } }],
        },
      },
    ],
  },
});

const silently = { applications: [], signs: [] as const };

/** Operators that do not run, and what others bring that nobody can serve. */
export const OPERATORS: readonly Injector[] = [
  {
    name: 'secrets-operator-without-replicas',
    because: 'the operator of secrets was scaled away, so new secrets are not made',
    isBroad: true,
    resting: ['external-secrets'],
    inject(scene) {
      const name = scene.service();
      const file = scene.edit('sources/values/cluster/external-secrets.yaml', { replicas: 0 });
      scene.play(40);
      const secret = `${name}-partner`;
      addObject(scene, name, 'partner', {
        apiVersion: 'external-secrets.io/v1',
        kind: 'ExternalSecret',
        metadata: inNamespace(secret),
        spec: {
          refreshInterval: '2m',
          secretStoreRef: { name: 'ameide-vault', kind: 'SecretStore' },
          target: { name: secret, creationPolicy: 'Owner' },
          data: [{ secretKey: 'token', remoteRef: { key: 'secrets-smoke', property: 'value' } }],
        },
      });
      scene.container(name, 'deployment', {
        env: [{ name: 'PARTNER_TOKEN', valueFrom: { secretKeyRef: { name: secret, key: 'token' } } }],
      });
      return {
        roots: [{ object: operator('external-secrets'), field: 'spec.replicas', value: 0, file }],
        applications: [app(name)],
        signs: [
          { object: operator('external-secrets'), shows: { spec: { replicas: 0 } } },
          { object: externalSecretRef(secret), shows: { status: null } },
          { object: secretRef(secret), isAbsent: true },
          { object: podRef(`${name}-*`), shows: waiting('CreateContainerConfigError', `secret "${secret}" not found`) },
        ],
      };
    },
  },
  {
    name: 'certificates-operator-without-replicas',
    because: 'the operator of certificates was scaled away, so new ones are not issued',
    isBroad: true,
    resting: ['cert-manager'],
    inject(scene) {
      const name = scene.service();
      const file = scene.edit('sources/values/cluster/cert-manager.yaml', { replicas: 0 });
      scene.play(40);
      const object = certificate(name, 'cluster-ca', 'ClusterIssuer');
      addObject(scene, name, 'certificate', object);
      return {
        roots: [{ object: operator('cert-manager'), field: 'spec.replicas', value: 0, file }],
        applications: [app(name)],
        signs: [
          { object: operator('cert-manager'), shows: { spec: { replicas: 0 } } },
          { object: refOf(object), shows: { status: null } },
          { object: secretRef(`${name}-tls`), isAbsent: true },
        ],
      };
    },
  },
  {
    name: 'issuer-without-its-signing-key',
    because: 'an issuer signs with a Secret that does not exist',
    inject(scene) {
      const name = scene.service();
      const issuer: KubeObject = {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Issuer',
        metadata: inNamespace(`${name}-ca`),
        spec: { ca: { secretName: `${name}-ca-key` } },
      };
      const file = addObject(scene, name, 'issuer', issuer);
      const object = certificate(name, `${name}-ca`);
      addObject(scene, name, 'certificate', object);
      const injection = wrongObject(
        name,
        issuer,
        { field: 'spec.ca.secretName', value: `${name}-ca-key`, also: [secretRef(`${name}-ca-key`)], file },
        { shows: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ErrGetKeyPair' }] } } },
      );
      return {
        ...injection,
        signs: [
          ...injection.signs,
          { object: refOf(object), shows: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } },
        ],
      };
    },
  },
  {
    name: 'two-certificates-of-one-secret',
    because: 'two Certificates write into one Secret',
    inject(scene) {
      const name = scene.service();
      const object = certificate(name, 'cluster-ca', 'ClusterIssuer', 'gateway-tls');
      const file = addObject(scene, name, 'certificate', object);
      return wrongObject(
        name,
        object,
        { field: 'spec.secretName', value: 'gateway-tls', also: [{ ...refOf(object), name: 'gateway' }], file },
        { shows: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'IncorrectCertificate' }] } } },
      );
    },
  },
  {
    name: 'ingress-to-a-service-that-is-not-there',
    because: 'an Ingress sends to a Service that does not exist',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      const object = ingress(name, `${name}-web`, 80);
      const file = addObject(scene, name, 'ingress', object);
      return {
        ...silently,
        roots: [
          {
            object: refOf(object),
            field: 'spec.rules[0].http.paths[0].backend.service.name',
            value: `${name}-web`,
            also: [serviceRef(`${name}-web`)],
            file,
          },
        ],
        signs: [
          { object: serviceRef(`${name}-web`), isAbsent: true },
          { object: refOf(object), shows: { status: { loadBalancer: { ingress: [{}] } } } },
        ],
      };
    },
  },
  {
    name: 'ingress-to-a-port-that-its-service-does-not-have',
    because: 'an Ingress sends to a port that its Service does not have',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      const object = ingress(name, name, 8080);
      const file = addObject(scene, name, 'ingress', object);
      return {
        ...silently,
        roots: [
          {
            object: refOf(object),
            field: 'spec.rules[0].http.paths[0].backend.service.port.number',
            value: 8080,
            also: [serviceRef(name)],
            file,
          },
        ],
        signs: [{ object: refOf(object), shows: { status: { loadBalancer: { ingress: [{}] } } } }],
      };
    },
  },
  {
    name: 'ingress-without-its-certificate',
    because: 'an Ingress names a Secret for its host that nobody makes',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      const object = ingress(name, name, 80, `${name}-web-tls`);
      const file = addObject(scene, name, 'ingress', object);
      return {
        ...silently,
        roots: [
          {
            object: refOf(object),
            field: 'spec.tls[0].secretName',
            value: `${name}-web-tls`,
            also: [secretRef(`${name}-web-tls`)],
            file,
          },
        ],
        signs: [{ object: secretRef(`${name}-web-tls`), isAbsent: true }],
      };
    },
  },
  {
    name: 'load-balancer-that-nobody-makes',
    because: 'a Service wants a load balancer, and nobody in the cluster makes any',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'service', { spec: { type: 'LoadBalancer' } });
      return {
        roots: [{ object: serviceRef(name), field: 'spec.type', value: 'LoadBalancer', file }],
        applications: [app(name)],
        signs: [{ object: serviceRef(name), shows: { status: { loadBalancer: { ingress: null } } } }],
      };
    },
  },
  {
    name: 'database-cluster-of-a-class-that-is-not-there',
    because: 'a new instance of a database wants a StorageClass that does not exist',
    inject(scene) {
      scene.pick(['postgres-clusters']);
      const file = scene.edit('sources/values/_shared/platform/postgres-clusters.yaml', {
        instances: 2,
        storage: { premiumClass: 'managed-csi-gold' },
      });
      const object = {
        apiVersion: 'postgresql.cnpg.io/v1',
        kind: 'Cluster',
        namespace: NAMESPACE,
        name: 'postgres-ameide',
      };
      return {
        roots: [
          {
            object,
            field: 'spec.storage.storageClass',
            value: 'managed-csi-gold',
            also: [{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'managed-csi-gold' }],
            file,
          },
        ],
        applications: [app('postgres-clusters', 'platform')],
        signs: [
          {
            object: claimRef('postgres-ameide-2'),
            event: { reason: 'ProvisioningFailed', words: '"managed-csi-gold" not found' },
          },
          { object, shows: { status: { phase: 'Creating a new replica' } } },
        ],
      };
    },
  },
];
