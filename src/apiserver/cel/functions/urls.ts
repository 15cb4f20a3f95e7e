import { BOOL, STRING, listOf, mapOf, opaque, type CelType } from '../types.js';
import { CelError, CelList, Opaque, mapFrom } from '../values.js';
import { func, method, type Overload } from '../overload.js';

const URL_TYPE: CelType = opaque('kubernetes.URL');

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const FORM = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:[^@/?#]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

/** An absolute URL or absolute path, as Go's url.ParseRequestURI takes it; undefined otherwise. */
export function parseUrl(text: string): Parts | undefined {
  if (
    text === '' ||
    Array.from(text).some((char) => char <= ' ' || char === '\u007f') ||
    /%(?![0-9a-fA-F]{2})/.test(text)
  )
    return undefined;
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = match;
  if (scheme === '' && !path.startsWith('/') && host === '') return undefined;
  if (scheme === '' && !text.startsWith('/')) return undefined;
  return validHost(host) ? { scheme: scheme.toLowerCase(), host, path, query } : undefined;
}

function validHost(host: string): boolean {
  const port = /:([^:\]]*)$/.exec(host.replace(/^\[[^\]]*\]/, ''));
  return (port === null || /^\d*$/.test(port[1] ?? '')) && !/["<>^`{|}\\]/.test(host);
}

const partsOf = (value: Opaque): Parts => value.content as Parts;
const hostname = (host: string): string =>
  host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
const port = (host: string): string => /:(\d+)$/.exec(host)?.[1] ?? '';

function query(text: string): ReturnType<typeof mapFrom> {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(text)) values.set(key, [...(values.get(key) ?? []), value]);
  return mapFrom([...values].map(([key, list]) => [key, CelList.of(list)] as const));
}

const reader = (name: string, read: (parts: Parts) => string): Overload =>
  method(name, [URL_TYPE], STRING, ([value]: [Opaque]) => read(partsOf(value)));

export const URLS: readonly Overload[] = [
  func('url', [STRING], URL_TYPE, ([text]: [string]) => {
    const parts = parseUrl(text);
    if (parts === undefined)
      throw new CelError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      );
    return new Opaque('kubernetes.URL', text, parts);
  }),
  func('isURL', [STRING], BOOL, ([text]: [string]) => parseUrl(text) !== undefined),
  reader('getScheme', ({ scheme }) => scheme),
  reader('getHost', ({ host }) => host),
  reader('getHostname', ({ host }) => hostname(host)),
  reader('getPort', ({ host }) => port(host)),
  reader('getEscapedPath', ({ path }) => path),
  method('getQuery', [URL_TYPE], mapOf(STRING, listOf(STRING)), ([value]: [Opaque]) => query(partsOf(value).query)),
];
