import { expect, it } from 'vitest';
import type { Schema } from '../../model/kubernetes/index.js';
import { builtinTypes } from './builtin-types.js';
import { builtinSchema } from '../schema/compile.js';

function at(schema: Schema | undefined, ...path: string[]): Schema | undefined {
  return path.reduce((node, name) => (name === '[]' ? node?.items : node?.properties?.get(name)), schema);
}

it('has a schema for every resource, list and subresource', () => {
  for (const type of builtinTypes()) {
    expect(at(type.schema, 'kind'), type.plural).toBeDefined();
    if (type.verbs.includes('list'))
      expect(at(builtinSchema(type.group, type.version, type.listKind), 'items', '[]')).toBeDefined();
    for (const sub of type.subresources.values())
      if (!sub.kind.endsWith('Options'))
        expect(builtinSchema(sub.group, sub.version, sub.kind), `${type.plural}/${sub.name}`).toBeDefined();
  }
});

it('lists groups and versions in order of priority', () => {
  const order = [...new Set(builtinTypes().map(({ group, version }) => `${group}/${version}`))];
  expect(order.slice(0, 3)).toEqual(['/v1', 'apiregistration.k8s.io/v1', 'apps/v1']);
  expect(order.filter((name) => name.startsWith('autoscaling/'))).toEqual(['autoscaling/v2', 'autoscaling/v1']);
});

it('knows lists, merge keys and Go facts of a field', () => {
  const pod = builtinSchema('', 'v1', 'Pod');
  expect(at(pod, 'spec', 'containers')).toMatchObject({
    type: 'array',
    listType: 'map',
    listMapKeys: ['name'],
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
    go: { type: '[]v1.Container', pointer: false, omit: 'never' },
  });
  expect(at(pod, 'spec', 'containers', '[]', 'ports', '[]', 'protocol')).toMatchObject({
    default: 'TCP',
    enum: ['SCTP', 'TCP', 'UDP'],
    go: { type: 'v1.Protocol', omit: 'empty' },
  });
  expect(at(pod, 'metadata', 'creationTimestamp')?.go).toEqual({
    type: 'v1.Time',
    pointer: false,
    omit: 'zero',
    reads: 'time',
  });
  expect(at(pod, 'spec', 'terminationGracePeriodSeconds')?.go).toEqual({ type: 'int64', pointer: true, omit: 'empty' });
  expect(at(builtinSchema('', 'v1', 'Service'), 'spec', 'selector')).toMatchObject({ mapType: 'atomic' });
});

it('builds a recursive type once', () => {
  const root = at(
    builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'),
    'spec',
    'versions',
    '[]',
    'schema',
    'openAPIV3Schema',
  );
  expect(at(root, 'allOf', '[]')?.properties).toBe(root?.properties);
  expect(at(root, 'allOf')?.go?.type).toBe('[]v1.JSONSchemaProps');
});
