import { describe, expect, it } from 'vitest';
import { TrustedProxies } from './trusted-proxies.js';

function parse(text: string): TrustedProxies {
  const proxies = TrustedProxies.parse(text);
  if ('wrong' in proxies) throw new Error(proxies.wrong);
  return proxies;
}

describe('the client behind trusted proxies', () => {
  const proxies = parse('127.0.0.1, 10.0.0.0/8, fd00::/8');

  it.each<[what: string, peer: string, forwarded: string | string[] | undefined, client: string]>([
    ['without a header is the peer', '10.1.2.3', undefined, '10.1.2.3'],
    ['is whom the proxy names', '10.1.2.3', '203.0.113.7', '203.0.113.7'],
    ['is the last one that is no proxy', '127.0.0.1', '198.51.100.1, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['cannot name somebody else', '10.1.2.3', '127.0.0.1, 10.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['is nobody that a stranger names', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['is read from every header of the name', '10.1.2.3', ['198.51.100.1', '203.0.113.7'], '203.0.113.7'],
    ['is the first proxy where all are proxies', '10.1.2.3', '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['is the proxy that says nothing usable', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['is read up to what is no address', '10.1.2.3', '203.0.113.7, _hidden, 10.0.0.1', '10.0.0.1'],
    ['is behind a peer on a socket for both families', '::ffff:10.1.2.3', '203.0.113.7', '203.0.113.7'],
    ['has IPv6, with brackets and port', 'fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['has a port that does not count', '127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['is the peer where the header is empty', '10.1.2.3', '', '10.1.2.3'],
  ])('%s', (_, peer, forwarded, client) => {
    expect(proxies.clientOf(peer, forwarded)).toBe(client);
  });

  it.each([
    '',
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.1,',
    '10.0.0',
    '::1/129',
    '10.0.0.0/8/8',
    '*',
    'fe80::1%eth0',
  ])('cannot be behind %j', (text) => {
    expect(TrustedProxies.parse(text)).toHaveProperty('wrong');
  });
});
