import { expect, it } from 'vitest';
import { trailersOf } from './status.js';

const messageOf = (message: string): string => trailersOf({ code: 5, message })['grpc-message'] ?? '';

it.each([
  ['plain', 'plain'],
  [' not found ', '%20not found%20'],
  ['100 % ü\n', '100 %25 %C3%BC%0A'],
  ['😀', '%F0%9F%98%80'],
])('%j travels as %j', (message, sent) => {
  expect(messageOf(message)).toBe(sent);
  expect(decodeURIComponent(sent)).toBe(message);
});

it('a long message is cut between characters, and fits the headers of proxies', () => {
  const sent = messageOf('\ufffd'.repeat(4000));
  expect(sent.length).toBeLessThanOrEqual(3000);
  expect(decodeURIComponent(sent)).toMatch(/^\ufffd+$/);
});
