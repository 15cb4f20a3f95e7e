import { BlockList, isIP } from 'node:net';

/** The environment variables of a process. */
type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY choose for an address, as Go programs read them; none for this
 * machine.
 */
export function proxyFromEnvironment(url: URL, environment: ProxyEnvironment): string | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = environment[name] ?? environment[name.toLowerCase()] ?? '';
  if (proxy === '' || isLoopback(url)) return undefined;
  if (isProxyExempt(url, environment['NO_PROXY'] ?? environment['no_proxy'] ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** Whether a list such as NO_PROXY names the host: by name, suffix, address, network, or any of them with a port. */
export function isProxyExempt(url: URL, exceptions: string): boolean {
  const host = hostOf(url);
  const port = url.port === '' ? defaultPort(url) : url.port;
  return exceptions
    .split(',')
    .map((text) => text.trim().toLowerCase())
    .some((rule) => rule !== '' && matches(rule, host, port));
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function defaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80';
}

function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
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
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return false;
  const version = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(address, Number(prefix), version);
  return list.check(host, version);
}
