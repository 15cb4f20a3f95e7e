import { BlockList, isIP } from 'node:net';
import { Fault } from '../../model/faults/index.js';
import { maskUrl, type SourceDependencies } from '../common/index.js';
import type { RepositoryAccess } from './repository-access.js';

/** The proxy for an address: the repository's own, else the one of the environment; undefined for none. */
export function proxyFor(
  url: string,
  access: RepositoryAccess,
  environment: SourceDependencies['environment'],
): string | undefined {
  const target = new URL(url);
  if (access.proxy !== undefined) return isExempt(target, access.noProxy ?? '') ? undefined : checked(access.proxy);
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = environment[name] ?? environment[name.toLowerCase()] ?? '';
  if (proxy === '' || isLoopback(target) || isExempt(target, environment['NO_PROXY'] ?? environment['no_proxy'] ?? ''))
    return undefined;
  return checked(proxy);
}

function checked(proxy: string): string {
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!/^https?:\/\/[^\s"\\]+$/i.test(text) || !URL.canParse(text))
    throw new Fault('SOURCE_INVALID', 'the proxy is no http or https address', { where: maskUrl(text) });
  return text;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function isExempt(url: URL, exceptions: string): boolean {
  const host = hostOf(url);
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
  return host.endsWith(`.${bare}`) || (name === bare && host === bare);
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
