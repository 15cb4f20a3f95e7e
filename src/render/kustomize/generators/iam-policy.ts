import { invalid } from '../fault.js';
import { decodeWhole, struct, text } from '../kustomization/decode.js';
import { Resource } from '../resource/resource.js';
import type { GeneratorFactory } from '../plugin/transformer.js';
import { readNode } from '../yaml/block-reader.js';

const type = struct('IAMPolicyGeneratorPlugin', {
  cloud: text,
  kubernetesService: struct('KubernetesService', { name: text, namespace: text }),
  serviceAccount: struct('ServiceAccount', { name: text, projectId: text }),
});

/** Makes a service account that is bound to one of a cloud. */
export const iamPolicyGenerator: GeneratorFactory = (config, { openApi, loader }) => {
  const { cloud, kubernetesService, serviceAccount } = decodeWhole(type, config, false);
  return {
    generate() {
      if (cloud !== 'gke') throw invalid(`cloud provider ${cloud} not supported yet`);
      const lines = [
        'apiVersion: v1',
        'kind: ServiceAccount',
        'metadata:',
        '  annotations:',
        '    iam.gke.io/gcp-service-account: ' +
          `${serviceAccount.name}@${serviceAccount.projectId}.iam.gserviceaccount.com`,
        `  name: ${kubernetesService.name}`,
        ...(kubernetesService.namespace === '' ? [] : [`  namespace: ${kubernetesService.namespace}`]),
      ];
      const node = readNode(`${lines.join('\n')}\n`);
      return node === undefined
        ? []
        : [new Resource(node, openApi, { file: loader.pathOf('kustomization.yaml'), line: 1 })];
    },
  };
};
