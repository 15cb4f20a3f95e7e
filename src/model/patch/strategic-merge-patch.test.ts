import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone, type JsonObject } from '../json/json.js';
import { parseJson, writeJson } from '../json/json-text.js';
import { PatchFault } from './patch-fault.js';
import type { Schema } from '../kubernetes/schema.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

interface Case {
  name: string;
  kind: 'Pod' | 'Deployment' | 'Service' | 'ConfigMap';
  object: JsonObject;
  patch: JsonObject;
  result?: JsonObject;
  error?: string;
}

const TEXT: Schema = { type: 'string' };
const MAP: Schema = { type: 'object', additionalProperties: TEXT };
const LIST: Schema = { type: 'array', items: TEXT };
const SET: Schema = { ...LIST, patchStrategy: ['merge'] };

function struct(name: string, properties: Record<string, Schema>, pointer = false): Schema {
  return {
    type: 'object',
    properties: new Map(Object.entries(properties)),
    go: { type: `v1.${name}`, pointer, omit: 'empty' },
  };
}

function byKey(
  patchMergeKey: string,
  items: Schema,
  patchStrategy: readonly ('merge' | 'retainKeys')[] = ['merge'],
): Schema {
  return { type: 'array', items, patchStrategy, patchMergeKey };
}

const META = struct('ObjectMeta', {
  name: TEXT,
  labels: MAP,
  finalizers: SET,
  ownerReferences: byKey('uid', struct('OwnerReference', { uid: TEXT, name: TEXT })),
});
const CONTAINER = struct('Container', {
  name: TEXT,
  image: TEXT,
  args: LIST,
  env: byKey('name', struct('EnvVar', { name: TEXT, value: TEXT })),
  ports: byKey('containerPort', struct('ContainerPort', { containerPort: { type: 'integer' }, name: TEXT })),
});
const POD_SPEC = struct('PodSpec', {
  containers: byKey('name', CONTAINER),
  nodeSelector: MAP,
  nodeName: TEXT,
  volumes: byKey(
    'name',
    struct('Volume', {
      name: TEXT,
      emptyDir: struct('EmptyDirVolumeSource', {}),
      hostPath: struct('HostPathVolumeSource', { path: TEXT }),
    }),
    ['merge', 'retainKeys'],
  ),
  tolerations: { type: 'array', items: struct('Toleration', { key: TEXT }) },
  imagePullSecrets: byKey('name', struct('LocalObjectReference', { name: TEXT })),
  securityContext: struct('PodSecurityContext', {}, true),
});
const STRATEGY: Schema = {
  ...struct('DeploymentStrategy', { type: TEXT, rollingUpdate: struct('RollingUpdateDeployment', {}) }),
  patchStrategy: ['retainKeys'],
};
const SCHEMAS: Record<Case['kind'], Schema> = {
  Pod: struct('Pod', {
    metadata: META,
    spec: POD_SPEC,
    status: struct('PodStatus', { conditions: byKey('type', struct('PodCondition', { type: TEXT, status: TEXT })) }),
  }),
  Deployment: struct('Deployment', {
    metadata: META,
    spec: struct('DeploymentSpec', {
      replicas: { type: 'integer' },
      strategy: STRATEGY,
      template: struct('PodTemplateSpec', { spec: POD_SPEC }),
    }),
  }),
  Service: struct('Service', {
    metadata: META,
    spec: struct('ServiceSpec', { ports: byKey('port', struct('ServicePort', { port: { type: 'integer' } })) }),
  }),
  ConfigMap: struct('ConfigMap', { metadata: META, data: MAP, binaryData: MAP }),
};

// Recorded from apimachinery v0.34.4.
const CASES = parseJson(
  readFileSync(join(import.meta.dirname, 'cases/strategic-merge-patches.json'), 'utf8'),
) as unknown as Case[];

describe('a strategic merge patch', () => {
  it.each(CASES)('$name', (given) => {
    const before = clone<JsonObject>({ object: given.object, patch: given.patch });
    const apply = (): JsonObject => applyStrategicMergePatch(given.object, given.patch, SCHEMAS[given.kind]);
    if (given.error === undefined) expect(apply()).toEqual(given.result);
    else expect(apply).toThrow(expect.objectContaining({ code: 'PATCH_INVALID', message: given.error }));
    expect({ object: given.object, patch: given.patch }).toEqual(before);
  });

  it('says whether it is malformed, does not fit, or failed', () => {
    const problem = (object: JsonObject, patch: JsonObject, schema?: Schema): string => {
      try {
        return writeJson(applyStrategicMergePatch(object, patch, schema));
      } catch (error) {
        if (error instanceof PatchFault) return error.reason;
        throw error;
      }
    };
    expect(problem({}, {})).toBe('malformed');
    expect(problem({}, { $retainKeys: 1 }, SCHEMAS.Pod)).toBe('malformed');
    expect(problem({ metadata: { finalizers: [['a']] } }, { metadata: { finalizers: [['a']] } }, SCHEMAS.Pod)).toBe(
      'inapplicable',
    );
    expect(problem({}, { $patch: 'x' }, SCHEMAS.Pod)).toBe('failed');
    expect(problem({ metadata: { name: 'a' } }, { metadata: { name: 'b' } }, SCHEMAS.Pod)).toBe(
      '{"metadata":{"name":"b"}}',
    );
  });

  it('merges long lists without delay', () => {
    const items = (from: number, image: string): JsonObject[] =>
      Array.from({ length: 3000 }, (_, i) => ({ name: `c${from + i}`, image }));
    const result = applyStrategicMergePatch(
      { spec: { containers: items(0, 'old') } },
      { spec: { containers: items(1500, 'new') } },
      SCHEMAS.Pod,
    );
    expect(((result.spec as JsonObject).containers as JsonObject[]).map(({ name }) => name)).toHaveLength(4500);
  });
});
