import { Fault } from '../../model/faults/index.js';
import type { OciName } from './oci-name.js';

/** Where a registry sends for a token, and for what. */
export interface Challenge {
  readonly realm: string;
  readonly service?: string;
  readonly scope?: string;
}

/** Reads `WWW-Authenticate: Bearer realm="...",service="...",scope="..."`; undefined where basic is asked for. */
export function challengeOf(header: string): Challenge | undefined {
  if (!/^\s*bearer\s/i.test(header)) return undefined;
  const parts = new Map(
    [...header.matchAll(/(?<![a-z_])([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const realm = parts.get('realm');
  if (realm === undefined) return undefined;
  const [service, scope] = [parts.get('service'), parts.get('scope')];
  return { realm, ...(service === undefined ? {} : { service }), ...(scope === undefined ? {} : { scope }) };
}

/** The address of the token; never less safe than the registry itself. */
export function tokenUrl({ realm, service, scope }: Challenge, { registry, name }: OciName, where: string): string {
  if (
    !URL.canParse(realm) ||
    !/^https?:$/.test(new URL(realm).protocol) ||
    (registry.startsWith('https:') && !realm.startsWith('https:'))
  ) {
    throw new Fault('SOURCE_REFUSED', 'the registry sends for a token to an address that is not safe', { where });
  }
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope ?? `repository:${name}:pull`);
  return url.href;
}
