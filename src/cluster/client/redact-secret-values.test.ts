import { describe, expect, it } from 'vitest';
import { ClusterError } from '../transport/cluster-error.js';
import { redactSecretValues } from './redact-secret-values.js';

const kind = (name: string, group = ''): Parameters<typeof redactSecretValues>[1] => ({
  group,
  version: 'v1',
  kind: name,
  plural: 'x',
  namespaced: true,
});
const rejection = (status: number, message: string, field = ''): ClusterError =>
  new ClusterError(
    { status, reason: '', message, causes: [{ reason: '', message, field }], retryAfterSeconds: undefined },
    'here',
  );

describe('what a server says of a Secret', () => {
  it.each([
    [
      500,
      'failed to create typed patch object (shop/a; /v1, Kind=Secret): .data.a: expected string, got ' +
        '&value.valueUnstructured{Value:"c4n4ry"}',
      '.data.a: expected string',
      true,
    ],
    [
      500,
      'failed to convert new object: unable to convert unstructured object to /v1, Kind=Secret: error ' +
        'decoding from json: illegal base64 data at input byte 3',
      'illegal base64 data at input byte 3',
      true,
    ],
    [422, 'Secret "a" is invalid: data[c]: Invalid value: "c4n4ry"', 'data[c]', false],
    [
      422,
      'Secret "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      'Secret "a" is invalid: field is immutable',
      false,
    ],
    [400, 'admission webhook "x" denied the request: c4n4ry is too short', '400', false],
    [403, 'admission webhook "x" denied the request: c4n4ry is too short', '403', false],
  ])('%d %s', (status, message, expected, isUntyped) => {
    const redacted = redactSecretValues(
      rejection(status, message, expected.startsWith('data[') ? expected : ''),
      kind('Secret'),
    );
    expect(redacted.message).toContain(expected);
    expect(JSON.stringify([redacted.message, redacted.causes])).not.toContain('c4n4ry');
    expect([redacted.status, redacted.isSchemaMismatch, redacted.retry]).toEqual([status, isUntyped, false]);
  });

  it('names and versions stay, and so do messages about other kinds', () => {
    for (const [error, of] of [
      [rejection(409, 'the object has been modified'), kind('Secret')],
      [rejection(403, 'secrets "a" is forbidden: User "x" cannot patch'), kind('Secret')],
      [rejection(422, 'c4n4ry'), kind('ConfigMap')],
      [rejection(422, 'c4n4ry'), kind('Secret', 'example.com')],
    ] as const) {
      expect(redactSecretValues(error, of)).toBe(error);
    }
  });
});
