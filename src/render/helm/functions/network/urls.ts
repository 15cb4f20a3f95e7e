import type { GoFunctions } from '../../template/value/go-function.js';
import { fromByteString, toByteString } from '../../template/value/go-text.js';
import { MAP, STRING } from '../../template/value/go-type.js';
import { functionError } from '../../template/template-error.js';
import { entryOf, GoScalar, typeOf, type GoObject } from '../../template/value/go-value.js';
import { define, nilDereference } from '../define.js';
import { hostName, parseUrl, urlFailure, urlText, userText } from './url.js';

function urlParse(text: string): GoObject {
  const url = parseUrl(text, urlFailure('unable to parse url'));
  const parts: Readonly<Record<string, string>> = {
    scheme: url.scheme,
    host: url.host,
    hostname: hostName(url.host),
    path: url.path,
    query: url.query,
    opaque: url.opaque,
    fragment: url.fragment,
    userinfo: url.user === undefined ? '' : userText(url.user),
  };
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, fromByteString(value)]));
}

function partOf(map: GoObject, key: string): string {
  const value = entryOf(map, key);
  if (value === undefined) return '';
  if (value === null) throw nilDereference();
  const plain = value instanceof GoScalar ? value.value : value;
  if (typeof plain === 'string') return toByteString(plain);
  throw functionError(`unable to parse ${key} key, must be of type string, but ${typeOf(value).kind} found`);
}

function urlJoin(map: GoObject): string {
  const part = (key: string): string => partOf(map, key);
  const url = {
    scheme: part('scheme'),
    host: part('host'),
    path: part('path'),
    query: part('query'),
    opaque: part('opaque'),
    fragment: part('fragment'),
  };
  const info = part('userinfo');
  if (info === '') return fromByteString(urlText(url));
  const { user } = parseUrl(fromByteString(`proto://${info}@host`), urlFailure('unable to parse userinfo in dict'));
  return fromByteString(urlText(user === undefined ? url : { ...url, user }));
}

export const URLS: GoFunctions = {
  urlParse: define([STRING], MAP, (args) => urlParse(args.text(0))),
  urlJoin: define([MAP], STRING, (args) => urlJoin(args.map(0) ?? {})),
};
