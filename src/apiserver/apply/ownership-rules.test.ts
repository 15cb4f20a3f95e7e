import { describe, expect, test } from 'vitest';
import {
  fieldElement,
  FieldSet,
  pathText,
  writeFieldsV1,
  type KubeObject,
  type ManagedFieldsEntry,
  type Schema,
} from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/api-error.js';
import { applyPatch } from './apply-patch.js';
import { compare, isSame } from './compare.js';
import { fieldSetOf } from './field-set-of.js';
import { managerName } from './manager-name.js';
import { keepUnchangedTimes } from './keep-unchanged-times.js';
import { trackUpdate } from './track-update.js';

const TEXT: Schema = { type: 'string' };
const MAP: Schema = { type: 'object', additionalProperties: TEXT };

/** A custom resource whose `bag` is owned as the case says. */
function kindWith(bag: Schema): Schema {
  return {
    type: 'object',
    properties: new Map([
      [
        'spec',
        {
          type: 'object',
          properties: new Map([
            ['bag', bag],
            ['name', TEXT],
          ]),
        },
      ],
    ]),
  };
}

const GRANULAR = kindWith(MAP);
const ATOMIC = kindWith({ ...MAP, mapType: 'atomic' });
const now = new Date('2026-01-01T00:00:09.876Z');
const head = { apiVersion: 'x.example.com/v1', kind: 'Bag' };

function bag(spec: KubeObject['spec'], managedFields?: ManagedFieldsEntry[]): KubeObject {
  return { ...head, metadata: { name: 'b', uid: 'u', ...(managedFields && { managedFields }) }, spec: spec ?? null };
}

describe('the manager of a request', () => {
  test.each([
    ['named', 'kubectl-edit', 'kubectl/v1.34 (linux)', 'kubectl-edit'],
    ['not named', undefined, 'kubectl/v1.34 (linux)', 'kubectl'],
    ['without slash', '', 'curl', 'curl'],
    ['with control characters', undefined, 'a\u0001b\nc/1', 'abc'],
    ['too long', undefined, 'é'.repeat(100), 'é'.repeat(64)],
    ['without user agent', undefined, undefined, ''],
  ])('%s', (_, fieldManager, userAgent, name) => {
    expect(managerName(fieldManager, userAgent)).toBe(name);
  });

  test('an unnamed manager is called unknown', () => {
    const entries = trackUpdate({
      ...head,
      schema: GRANULAR,
      live: undefined,
      next: bag({ name: 'n' }),
      manager: '',
      now,
    });
    expect(entries?.map((entry) => [entry.manager, entry.time])).toEqual([['unknown', '2026-01-01T00:00:09Z']]);
  });
});

describe('a write without effect', () => {
  const entry = (time: string, manager = 'a'): ManagedFieldsEntry => ({
    manager,
    operation: 'Apply',
    apiVersion: head.apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:name': {} } },
  });
  const live = bag({ name: 'n' }, [entry('2026-01-01T00:00:00Z')]);

  test('keeps the times it had', () => {
    expect(keepUnchangedTimes(live, bag({ name: 'n' }, [entry('2026-01-01T00:00:05Z')]))).toEqual(live);
  });

  test('is none where a field changed', () => {
    const next = bag({ name: 'm' }, [entry('2026-01-01T00:00:05Z')]);
    expect(keepUnchangedTimes(live, next)).toBe(next);
  });

  test('is none where an owner changed', () => {
    const next = bag({ name: 'n' }, [entry('2026-01-01T00:00:05Z', 'b')]);
    expect(keepUnchangedTimes(live, next)).toBe(next);
  });
});

describe('sets of fields', () => {
  test('an object names its leaves, and maps key by key', () => {
    expect(writeFieldsV1(fieldSetOf(bag({ bag: { b: '1', a: '2' } }), GRANULAR))).toEqual({
      'f:apiVersion': {},
      'f:kind': {},
      'f:metadata': { 'f:name': {}, 'f:uid': {} },
      'f:spec': { 'f:bag': { 'f:a': {}, 'f:b': {} } },
    });
  });

  test('odd names are ordinary names', () => {
    const odd = JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>;
    const { added } = compare(bag({}), bag({ bag: odd }), GRANULAR);
    expect([...added.paths()].map(pathText)).toEqual(['.spec.bag', '.spec.bag.__proto__', '.spec.bag.constructor']);
  });

  test('an equal copy has no differences', () => {
    expect(isSame(compare(bag({ bag: { a: '1' } }), bag({ bag: { a: '1' } }), ATOMIC))).toBe(true);
  });
});

describe('a schema that changed since', () => {
  const live = bag({ bag: { a: '1' } }, [
    {
      manager: 'a',
      operation: 'Apply',
      apiVersion: head.apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:bag': { 'f:a': {} } } },
    },
  ]);

  test('turns the parts of what is now one whole into it', () => {
    const entries = trackUpdate({
      ...head,
      schema: ATOMIC,
      live,
      next: bag({ bag: { a: '1' }, name: 'n' }),
      manager: 'b',
      now,
    });
    expect(entries?.map((entry) => entry.fieldsV1)).toEqual([
      { 'f:spec': { 'f:bag': {} } },
      { 'f:spec': { 'f:name': {} } },
    ]);
  });
});

describe('an apply', () => {
  const input = {
    ...head,
    schema: GRANULAR,
    live: undefined,
    manager: 'a',
    force: false,
    now,
    resetFields: FieldSet.of([fieldElement('status')]),
  };

  test('of another kind is rejected', () => {
    expect(() => applyPatch({ ...input, config: { ...bag({}), kind: 'Box' } })).toThrow(
      new ApiError(400, 'BadRequest', 'invalid object type: x.example.com/v1, Kind=Box'),
    );
  });

  test('changes neither the live object nor the configuration', () => {
    const live = Object.freeze(bag(Object.freeze({ bag: Object.freeze({ a: '1' }) })));
    const config = Object.freeze(bag(Object.freeze({ bag: Object.freeze({ b: '2' }) })));
    const result = applyPatch({ ...input, live, config });
    expect(result.kind === 'applied' && result.object.spec).toEqual({ bag: { a: '1', b: '2' } });
  });
});
