import { applyMergePatch } from '../../../src/model/patch/index.js';
import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { NAMESPACE, PLACEMENT } from '../injection/names.js';
import { app, secretRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import type { Scene } from '../injection/scene.js';
import { addObject, wrongObject } from './shapes.js';

const certificate = (name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  namespace: NAMESPACE,
  name,
});

export const NETWORK: readonly Injector[] = [
  {
    name: 'certificate-of-an-issuer-that-is-not-there',
    because: 'a Certificate names an issuer that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'certificate');
      scene.file(
        file,
        `apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec:\n  secretName: ${name}-tls\n  dnsNames: [${name}.ameide.example.com]\n  ` +
          'issuerRef: {name: letsencrypt, kind: ClusterIssuer}\n',
      );
      return {
        roots: [
          {
            object: certificate(name),
            field: 'spec.issuerRef.name',
            value: 'letsencrypt',
            also: [{ apiVersion: 'cert-manager.io/v1', kind: 'ClusterIssuer', name: 'letsencrypt' }],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          { object: certificate(name), shows: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } },
          { object: secretRef(`${name}-tls`), isAbsent: true },
        ],
      };
    },
  },
  {
    name: 'ingress-of-a-class-that-is-not-there',
    because: 'an Ingress names a class that nobody serves',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'ingress');
      scene.file(
        file,
        `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec:\n  ingressClassName: public\n  rules: [{host: ${name}.ameide.example.com, ` +
          `http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: ${name}, port: {number: ` +
          '80}}}}]}}]\n',
      );
      const object = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: NAMESPACE, name };
      return {
        roots: [
          {
            object,
            field: 'spec.ingressClassName',
            value: 'public',
            also: [{ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', name: 'public' }],
            file,
          },
        ],
        applications: [app(name)],
        signs: [{ object, shows: { status: { loadBalancer: { ingress: null } } } }],
      };
    },
  },
  {
    name: 'route-whose-host-is-taken',
    because: 'another Route has the host already',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'route');
      const route = {
        apiVersion: 'route.openshift.io/v1',
        kind: 'Route',
        metadata: { name: `${name}-of-old`, namespace: 'argocd' },
        spec: {
          host: `${name}.ameide.example.com`,
          to: { kind: 'Service', name: 'argocd-server', weight: 100 },
          tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'None' },
        },
      };
      scene.apply(route);
      scene.play(10);
      scene.file(
        file,
        `apiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec:\n  host: ${name}.ameide.example.com\n  to: {kind: Service, name: ${name}, ` +
          'weight: 100}\n  port: {targetPort: http}\n  tls: {termination: edge, ' +
          'insecureEdgeTerminationPolicy: None}\n',
      );
      const object = { apiVersion: 'route.openshift.io/v1', kind: 'Route', namespace: NAMESPACE, name };
      return {
        roots: [
          {
            object,
            field: 'spec.host',
            value: `${name}.ameide.example.com`,
            also: [{ apiVersion: 'route.openshift.io/v1', kind: 'Route', namespace: 'argocd', name: `${name}-of-old` }],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object,
            shows: {
              status: {
                ingress: [{ conditions: [{ type: 'Admitted', status: 'False', reason: 'HostAlreadyClaimed' }] }],
              },
            },
          },
        ],
      };
    },
  },
];

const TRAINING = {
  apiVersion: 'mlops.mlops.dev/v1alpha1',
  kind: 'NotebookValidationJob',
  namespace: NAMESPACE,
  name: 'forecasts-training',
};
const SERVING = {
  apiVersion: 'serving.kserve.io/v1beta1',
  kind: 'InferenceService',
  namespace: NAMESPACE,
  name: 'forecasts',
};

/** What the runner of a notebook says in its pod when a cell fails. */
function failingCell(type: string, message: string, category: string): string {
  const say = (event: JsonObject): string => `@argosy $(ARGOSY_NONCE) ${JSON.stringify(event)}`;
  return JSON.stringify({
    validator: {
      exitCode: 1,
      after: '2s',
      log: [
        'nbclient.exceptions.CellExecutionError: An error occurred while executing the following cell:',
        `${type}: ${message}`,
        say({ event: 'start', kernel: 'nbclient python3', cells: 2, codeCells: 2 }),
        say({
          event: 'cell',
          cell: 0,
          cellType: 'code',
          status: 'Failure',
          seconds: 0.1,
          errorType: type,
          errorMessage: message,
        }),
        say({ event: 'end', status: 'failed', category, error: message, failedCell: 0 }),
      ],
    },
  });
}

/** The notebook is run again, and fails. */
function notebookFails(
  scene: Scene,
  spec: JsonObject,
  simulate: string,
  root: Omit<Root, 'object' | 'file'>,
  words: string,
): Injection {
  scene.pick(['forecasts']);
  const file = scene.plain('forecasts', 'training', {
    metadata: { annotations: { 'argosy.dev/simulate': simulate } },
    spec,
  });
  return {
    roots: [{ object: TRAINING, ...root, file }],
    applications: [app('forecasts')],
    signs: [{ object: TRAINING, shows: { status: { phase: 'Failed', message: `~${words}` } } }],
  };
}

/** What serves the model is made anew and does not come up. */
function servingFails(
  scene: Scene,
  patch: JsonObject,
  root: Omit<Root, 'object' | 'file'>,
  shows: JsonObject,
): Injection {
  scene.pick(['forecasts']);
  const file = scene.plain('forecasts', 'serving', patch);
  return {
    roots: [{ object: SERVING, ...root, file }],
    applications: [app('forecasts')],
    signs: [{ object: SERVING, shows }],
  };
}

/** One more server of the model, which does not come up. */
function servingAnother(
  scene: Scene,
  annotations: Record<string, string>,
  predictor: JsonObject,
  root: Omit<Root, 'object' | 'file'>,
  sign: Omit<Sign, 'object'>,
): Injection {
  scene.pick(['forecasts']);
  const usual = {
    ...PLACEMENT,
    model: { modelFormat: { name: 'sklearn' }, storageUri: 'pvc://forecasts-models/forecasts' },
  };
  const object: KubeObject = {
    apiVersion: 'serving.kserve.io/v1beta1',
    kind: 'InferenceService',
    metadata: {
      name: 'forecasts-daily',
      namespace: NAMESPACE,
      annotations: {
        'argocd.argoproj.io/sync-wave': '2',
        'serving.kserve.io/deploymentMode': 'RawDeployment',
        ...annotations,
      },
    },
    spec: { predictor: applyMergePatch(usual, predictor) },
  };
  return wrongObject(
    'forecasts',
    object,
    { ...root, file: addObject(scene, 'forecasts', 'serving-daily', object) },
    sign,
  );
}

export const MODELS: readonly Injector[] = [
  {
    name: 'notebook-in-an-image-without-its-packages',
    because: 'the image of a notebook lacks a package that it imports',
    inject: (scene) =>
      notebookFails(
        scene,
        { podConfig: { containerImage: 'quay.io/jupyter/minimal-notebook:2025-10-01' } },
        failingCell('ModuleNotFoundError', "No module named 'sklearn'", 'dependency_install_failed'),
        { field: 'spec.podConfig.containerImage', value: 'quay.io/jupyter/minimal-notebook:2025-10-01' },
        'ModuleNotFoundError',
      ),
  },
  {
    name: 'notebook-with-a-defect',
    because: 'a cell of the notebook raises an error of its own',
    inject: (scene) =>
      notebookFails(
        scene,
        { notebook: { path: 'notebooks/forecasts-v2.ipynb' } },
        failingCell('ValueError', 'could not convert string to float: "n/a"', 'notebook_failed'),
        { field: 'spec.notebook.path', value: 'notebooks/forecasts-v2.ipynb' },
        'ValueError',
      ),
  },
  {
    name: 'notebook-without-its-credentials',
    because: 'a notebook names a Secret for git that does not exist',
    inject(scene) {
      scene.pick(['forecasts']);
      const file = scene.plain('forecasts', 'training', {
        spec: { notebook: { git: { credentialsSecret: 'notebooks-git' } } },
      });
      return {
        roots: [
          {
            object: TRAINING,
            field: 'spec.notebook.git.credentialsSecret',
            value: 'notebooks-git',
            also: [secretRef('notebooks-git')],
            file,
          },
        ],
        applications: [app('forecasts')],
        signs: [{ object: TRAINING, shows: { status: { phase: 'Failed', message: '~notebooks-git' } } }],
      };
    },
  },
  {
    name: 'model-format-that-no-runtime-serves',
    because: 'no serving runtime supports the format of the model',
    inject: (scene) =>
      servingFails(
        scene,
        { spec: { predictor: { model: { modelFormat: { name: 'lightgbm-next' } } } } },
        { field: 'spec.predictor.model.modelFormat.name', value: 'lightgbm-next' },
        {
          status: {
            modelStatus: { transitionStatus: 'InvalidSpec', lastFailureInfo: { reason: 'NoSupportingRuntime' } },
          },
        },
      ),
  },
  {
    name: 'serving-runtime-that-is-not-there',
    because: 'a model names a serving runtime that does not exist',
    inject: (scene) =>
      servingFails(
        scene,
        { spec: { predictor: { model: { runtime: 'vllm-gpu' } } } },
        {
          field: 'spec.predictor.model.runtime',
          value: 'vllm-gpu',
          also: [{ apiVersion: 'serving.kserve.io/v1alpha1', kind: 'ClusterServingRuntime', name: 'vllm-gpu' }],
        },
        {
          status: {
            modelStatus: { transitionStatus: 'InvalidSpec', lastFailureInfo: { reason: 'RuntimeNotRecognized' } },
          },
        },
      ),
  },
  {
    name: 'model-that-was-never-trained',
    because: 'a model is to be served from a path of its volume where none is',
    inject: (scene) =>
      servingAnother(
        scene,
        {},
        { model: { storageUri: 'pvc://forecasts-models/yearly' } },
        { field: 'spec.predictor.model.storageUri', value: 'pvc://forecasts-models/yearly' },
        {
          shows: {
            status: {
              modelStatus: { transitionStatus: 'BlockedByFailedLoad', lastFailureInfo: { reason: 'ModelLoadFailed' } },
            },
          },
        },
      ),
  },
  {
    name: 'model-server-that-fits-nowhere',
    because: 'what serves a model wants nodes of a pool that is not there',
    inject: (scene) =>
      servingAnother(
        scene,
        {},
        { nodeSelector: { 'ameide.io/pool': 'accelerated' } },
        { field: 'spec.predictor.nodeSelector["ameide.io/pool"]', value: 'accelerated' },
        { shows: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } },
      ),
  },
  {
    name: 'serving-runtime-that-is-disabled',
    because: 'the runtime of a model was disabled, so it cannot be served anew',
    kind: 'silent',
    inject(scene) {
      scene.pick(['forecasts']);
      const file = scene.edit('sources/plain/serving-runtimes/sklearn.yaml', { spec: { disabled: true } });
      return {
        roots: [
          {
            object: {
              apiVersion: 'serving.kserve.io/v1alpha1',
              kind: 'ClusterServingRuntime',
              name: 'kserve-sklearnserver',
            },
            field: 'spec.disabled',
            value: true,
            also: [SERVING],
            file,
          },
        ],
        applications: [],
        signs: [{ object: SERVING, shows: { status: { modelStatus: { transitionStatus: 'InvalidSpec' } } } }],
      };
    },
  },
  {
    name: 'model-that-wants-to-be-serverless',
    because: 'a model asks for Knative, which is not installed',
    inject: (scene) =>
      servingAnother(
        scene,
        { 'serving.kserve.io/deploymentMode': 'Serverless' },
        {},
        { field: 'metadata.annotations["serving.kserve.io/deploymentMode"]', value: 'Serverless' },
        { event: { reason: 'ServerlessModeRejected', words: 'Knative' } },
      ),
  },
  {
    name: 'model-of-a-store-that-nobody-reads',
    because: 'the address of a model is of a kind that nobody can fetch',
    inject: (scene) =>
      servingAnother(
        scene,
        {},
        { model: { storageUri: 'minio://models/forecasts' } },
        { field: 'spec.predictor.model.storageUri', value: 'minio://models/forecasts' },
        { event: { reason: 'InternalError', words: 'is not supported' } },
      ),
  },
  {
    name: 'notebook-that-takes-too-long',
    because: 'a notebook has less time than it needs',
    inject: (scene) =>
      notebookFails(
        scene,
        { timeout: '1m' },
        JSON.stringify({ validator: { after: '30m' } }),
        { field: 'spec.timeout', value: '1m' },
        'longer than the specified deadline',
      ),
  },
  {
    name: 'notebook-that-fits-nowhere',
    because: 'the pod of a notebook wants nodes of a pool that is not there',
    inject: (scene) =>
      notebookFails(
        scene,
        { timeout: '2m', podConfig: { nodeSelector: { 'ameide.io/pool': 'accelerated' } } },
        '{}',
        { field: 'spec.podConfig.nodeSelector["ameide.io/pool"]', value: 'accelerated' },
        'did not begin',
      ),
  },
];
