import { expect, it } from 'vitest';
import { proxyFromEnvironment } from './proxy.js';

const PROXY = 'http://proxy.test:3128';

it.each([
  ['https://api.example.test', '', PROXY],
  ['https://api.example.test', 'example.test', undefined],
  ['https://example.test', 'example.test', undefined],
  ['https://example.test', '.example.test', PROXY],
  ['https://badexample.test', 'example.test', PROXY],
  ['https://api.example.test:6443', 'example.test:6443', undefined],
  ['https://api.example.test', 'example.test:6443', PROXY],
  ['https://10.1.2.3', '10.1.0.0/16', undefined],
  ['https://10.2.2.3', '10.1.0.0/16', PROXY],
  ['https://[fd00::1]:6443', 'fd00::/8', undefined],
  ['https://10.2.2.3', '10.1.0.0/99, nonsense/', PROXY],
  ['https://api.example.test', 'a.test, *', undefined],
  ['https://127.0.0.1:6443', '', undefined],
  ['https://localhost:6443', '', undefined],
  ['https://[::1]:6443', '', undefined],
])('%s with NO_PROXY=%s', (server, exceptions, expected) => {
  expect(proxyFromEnvironment(new URL(server), { HTTPS_PROXY: PROXY, NO_PROXY: exceptions })).toBe(expected);
});

it('reads lower-case names, and another variable for http', () => {
  expect(proxyFromEnvironment(new URL('https://a.test'), { https_proxy: 'p.test:1' })).toBe('http://p.test:1');
  expect(proxyFromEnvironment(new URL('http://a.test'), { HTTPS_PROXY: PROXY })).toBeUndefined();
  expect(proxyFromEnvironment(new URL('http://a.test'), { HTTP_PROXY: 'socks5://p.test:1' })).toBe('socks5://p.test:1');
});
