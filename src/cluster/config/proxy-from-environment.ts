import { BlockList, isIP } from 'node:net';
import type { Environment } from './cluster-config.js';

/** The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY choose for an address, as Go programs read them. */
export function proxyFor(server: string, environment: Environment): string | undefined {
  const url = new URL(server);
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = environment[name] ?? environment[name.toLowerCase()] ?? '';
  if (proxy === '' || isExempt(url, environment['NO_PROXY'] ?? environment['no_proxy'] ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isExempt(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host === '::1' || /^127\./.test(host)) return true;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return exceptions
    .split(',')
    .map((text) => text.trim().toLowerCase())
    .some((rule) => rule !== '' && matches(rule, host, port));
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return inNetwork(rule, host);
  const [, name = rule, wanted] = /^(.+):(\d+)$/.exec(isIP(rule) === 6 ? '' : rule) ?? [];
  if (wanted !== undefined && wanted !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return name === bare ? host === bare || host.endsWith(`.${bare}`) : host.endsWith(`.${bare}`);
}

function inNetwork(rule: string, host: string): boolean {
  const [address = '', prefix = ''] = rule.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128))
    return false;
  const list = new BlockList();
  list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
