import { expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { errorOfStatus, unreachable } from '../transport/cluster-error.js';
import { ResponseTooLarge } from '../transport/rest-client.js';
import { classifyFailure } from './classify-failure.js';

const refused = (code: number, reason = '', more: object = {}, retryAfter?: number): Fault =>
  errorOfStatus({ kind: 'Status', code, reason, message: 'm', ...more }, code, 'w', retryAfter);

it.each([
  ['no answer', unreachable('host', 'm'), 'lost', 'same', 0],
  ['an expired version', refused(410, 'Expired'), 'lost', 'list', 0],
  ['an expired version with another code', refused(400, 'Expired'), 'lost', 'list', 0],
  [
    'a version from the future',
    refused(504, 'Timeout', {
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    }),
    'lost',
    'list',
    1000,
  ],
  ['a malformed version', refused(400, 'BadRequest'), 'broken', 'list', 0],
  ['unknown credentials', refused(401, 'Unauthorized'), 'forbidden', 'same', 0],
  ['a missing right', refused(403, 'Forbidden'), 'forbidden', 'same', 0],
  ['a kind that is not served', refused(404, 'NotFound'), 'broken', 'same', 0],
  ['a kind without watch', refused(405, 'MethodNotAllowed'), 'broken', 'same', 0],
  ['too many requests', refused(429, 'TooManyRequests', {}, 3), 'lost', 'same', 3000],
  ['an extension server that is down', refused(503, 'ServiceUnavailable'), 'lost', 'same', 0],
  ['another refusal', refused(422, 'Invalid'), 'broken', 'same', 0],
  ['a page too large', new ResponseTooLarge('w', 1), 'broken', 'smaller-pages', 0],
  ['credentials that cannot be had', new Fault('KUBECONFIG_INVALID', 'm'), 'broken', 'same', 0],
  ['a mistake of ours', new TypeError('x'), 'broken', 'same', 0],
] as const)('%s', (_, error, kind, next, wait) => {
  expect(classifyFailure(error)).toMatchObject({ kind, next, wait });
});
