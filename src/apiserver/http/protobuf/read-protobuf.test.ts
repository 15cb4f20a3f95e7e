import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseJson, type JsonObject } from '../../../model/json/index.js';
import type { GroupVersionKind } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/api-error.js';
import { builtinSchema } from '../../schema/compile.js';
import { decode } from '../../schema/decode.js';
import { readProtobuf } from './read-protobuf.js';

interface Recorded extends GroupVersionKind {
  readonly bytes: Buffer;
  readonly object: JsonObject;
}

/** Recorded from the real serializer by scripts/schema-table/protobuf-oracle. */
const RECORDED: readonly Recorded[] = readFileSync(new URL('protobuf-cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const { group, version, kind, bytes, object } = parseJson(line) as JsonObject & {
      group: string;
      version: string;
      kind: string;
      bytes: string;
      object: JsonObject;
    };
    return { group, version, kind, bytes: Buffer.from(bytes, 'base64'), object };
  });

test.each(
  RECORDED.map((recorded, index) => ({
    recorded,
    name: `${recorded.group}/${recorded.version} ${recorded.kind}, ${index % 2 === 0 ? 'every field' : 'empty'}`,
  })),
)('reads $name', ({ recorded }) => {
  const { bytes, object, ...as } = recorded;
  const schema = builtinSchema(as.group, as.version, as.kind);
  const read = decode(readProtobuf(bytes, { group: 'other', version: 'v1', kind: 'Other' }), schema!);
  expect(read.unknownFields).toEqual([]);
  expect(read.object).toEqual(object);
});

const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };
const field = (number: number, content: Buffer | string): Buffer =>
  Buffer.concat([varint((number << 3) | 2), varint(content.length), Buffer.from(content)]);
const body = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])), field(2, raw)]);
const bytes = (...values: number[]): Buffer => Buffer.from(values);

function varint(value: number): Buffer {
  const out: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  return Buffer.from([...out, value]);
}

function rejection(sent: Buffer, as: GroupVersionKind = CONFIG_MAP): { code: number; message: string } {
  try {
    readProtobuf(sent, as);
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('was read');
}

describe('what an object is', () => {
  const raw = field(1, field(1, 'one'));

  test.each([
    ['', ''],
    ['v1', ''],
    ['', 'ConfigMap'],
    ['a/b/c', 'ConfigMap'],
    ['/', ''],
  ])('is the target where it says %j, %j', (apiVersion, kind) => {
    expect(readProtobuf(body(apiVersion, kind, raw), CONFIG_MAP)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'one' },
    });
  });

  test('is kept where the kind is not built in', () => {
    expect(readProtobuf(body('example.com/v1', 'Boat', raw), CONFIG_MAP)).toEqual({
      kind: 'Boat',
      apiVersion: 'example.com/v1',
    });
  });
});

// The texts are those of kube-apiserver 1.34 for the same bytes.
describe('bytes that are no object', () => {
  const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const handled = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';
  test.each([
    [
      Buffer.from('{"metadata":{}}'),
      `${unrecognized}provided data does not appear to be a protobuf message, expected prefix [107 56 115 ` +
        '0] ({"metadata":{}})',
    ],
    [Buffer.from(''), `${unrecognized}empty data (<empty>)`],
    [Buffer.from('k8s\0'), `${unrecognized}empty body (6b387300)`],
    [Buffer.from('k8s\0\n\xff', 'latin1'), `${unrecognized}unexpected EOF (6b3873000aff)`],
    [Buffer.from('k8s\0\b\x01'), `${unrecognized}proto: wrong wireType = 0 for field TypeMeta (6b3873000801)`],
    [body('v1', 'ConfigMap', bytes(0x0a, 0x20, 1)), `${handled}unexpected EOF`],
    [body('v1', 'ConfigMap', bytes(0x08, 0x20)), `${handled}proto: wrong wireType = 0 for field ObjectMeta`],
    [body('v1', 'ConfigMap', bytes(0)), `${handled}proto: ConfigMap: illegal tag 0 (wire type 0)`],
    [body('v1', 'ConfigMap', bytes(0x0c)), `${handled}proto: ConfigMap: wiretype end group for non-group`],
    [body('v1', 'ConfigMap', bytes(0x7e, 1)), `${handled}proto: illegal wireType 6`],
    [
      body('v1', 'ConfigMap', bytes(0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1)),
      `${handled}proto: negative length found during unmarshaling`,
    ],
    [
      body('v1', 'ConfigMap', bytes(0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1)),
      `${handled}proto: integer overflow`,
    ],
  ])('%#: %s', (sent, message) => {
    expect(rejection(sent)).toEqual({ code: 400, message });
  });

  test('that were to be delete options are a failure without context', () => {
    const as = { group: '', version: 'v1', kind: 'DeleteOptions' };
    expect(rejection(body('v1', 'DeleteOptions', bytes(0x0a, 1, 1)), as)).toEqual({
      code: 500,
      message: 'proto: wrong wireType = 2 for field GracePeriodSeconds',
    });
    expect(rejection(body('v1', 'ConfigMap', bytes()), as)).toEqual({
      code: 500,
      message: 'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    });
  });

  // Here the real server breaks off the connection.
  test('that hold what JSON cannot say', () => {
    const revision = { group: 'apps', version: 'v1', kind: 'ControllerRevision' };
    expect(
      rejection(body('apps/v1', 'ControllerRevision', field(2, field(1, '{no json'))), revision).message,
    ).toContain('ControllerRevision: invalid character');
    const budget = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' };
    expect(
      rejection(body('policy/v1', 'PodDisruptionBudget', field(2, field(1, bytes(8, 5)))), budget).message,
    ).toContain('impossible IntOrString.Type');
    const lease = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' };
    expect(
      rejection(
        body('coordination.k8s.io/v1', 'Lease', field(2, field(3, bytes(8, 255, 255, 255, 255, 255, 255, 255, 127)))),
        lease,
      ).message,
    ).toContain('outside the years 1 to 9999');
  });

  test('that nest schemas or groups without end', () => {
    let schema = bytes();
    // Number 27 of a schema is `not`, a schema.
    for (let level = 0; level < 600; level++) schema = field(27, schema);
    const definition = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    const raw = field(2, field(7, Buffer.concat([field(1, 'v1'), field(4, field(1, schema))])));
    expect(rejection(body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', raw), definition).message).toContain(
      'exceeded max depth',
    );
    expect(rejection(body('v1', 'ConfigMap', Buffer.alloc(100_000, 0x7b))).message).toContain('unexpected EOF');
  });
});

test('fields that are not known are passed over, numbers may come in one run, and odd keys are ordinary', () => {
  const known = body(
    'v1',
    'ConfigMap',
    Buffer.concat([
      field(99, 'later'),
      bytes(0x7b, 0x08, 0x01, 0x7c),
      field(2, Buffer.concat([field(1, '__proto__'), field(2, 'x')])),
    ]),
  );
  expect(Object.keys(readProtobuf(known, CONFIG_MAP).data as JsonObject)).toEqual(['__proto__']);
  const pod = body('v1', 'Pod', field(2, field(14, field(4, bytes(1, 2, 0x80, 1)))));
  expect(readProtobuf(pod, CONFIG_MAP)).toMatchObject({
    spec: { securityContext: { supplementalGroups: [1, 2, 128] } },
  });
});

test('damaged bytes are read or rejected, never a crash', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed % below;
  };
  let refused = 0;
  for (const { bytes: whole, ...as } of RECORDED) {
    for (let time = 0; time < 40; time++) {
      const damaged = Buffer.from(time % 3 === 0 ? whole.subarray(0, random(whole.length)) : whole);
      for (let flips = 1 + random(4); flips > 0 && damaged.length > 0; flips--)
        damaged[random(damaged.length)] = random(256);
      try {
        readProtobuf(damaged, as);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(1000);
});
