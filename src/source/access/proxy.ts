import { Fault } from '../../model/faults/index.js';
import { isProxyExempt, proxyFromEnvironment } from '../../net/http/index.js';
import { maskUrl, type SourceDependencies } from '../common/index.js';
import type { RepositoryAccess } from './repository-access.js';

/** The proxy for an address: the repository's own, else the one of the environment; undefined for none. */
export function proxyFor(
  url: string,
  access: RepositoryAccess,
  environment: SourceDependencies['environment'],
): string | undefined {
  const target = new URL(url);
  if (access.proxy !== undefined)
    return isProxyExempt(target, access.noProxy ?? '') ? undefined : checked(access.proxy);
  const proxy = proxyFromEnvironment(target, environment);
  return proxy === undefined ? undefined : checked(proxy);
}

function checked(proxy: string): string {
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!/^https?:\/\/[^\s"\\]+$/i.test(text) || !URL.canParse(text))
    throw new Fault('SOURCE_INVALID', 'the proxy is not an http or https address', { where: maskUrl(text) });
  return text;
}
