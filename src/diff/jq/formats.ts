import { isArray, isObject, type Json } from '../../model/json/index.js';
import { JqError, formatValue, toJson, toText } from './values.js';

type Format = (value: Json) => string;

const HTML: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ["'", '&#39;'],
  ['"', '&quot;'],
]);

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['@text', toText],
  ['@json', toJson],
  ['@html', (value) => toText(value).replace(/[<>&'"]/g, (char) => HTML.get(char) ?? char)],
  [
    '@uri',
    (value) =>
      encodeURIComponent(toText(value)).replace(
        /[!'()*]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
  ],
  ['@base64', (value) => Buffer.from(toText(value)).toString('base64')],
  ['@base64d', (value) => decoded(toText(value))],
  ['@csv', (value) => row(value, 'csv', ',', (text) => `"${text.replace(/"/g, '""')}"`)],
  [
    '@tsv',
    (value) => row(value, 'tsv', '\t', (text) => text.replace(/[\\\t\r\n]/g, (char) => `\\${TSV.get(char) ?? char}`)),
  ],
  ['@sh', (value) => (isArray(value) ? value : [value]).map(shellWord).join(' ')],
]);
const TSV: ReadonlyMap<string, string> = new Map([
  ['\t', 't'],
  ['\r', 'r'],
  ['\n', 'n'],
  ['\\', '\\'],
]);

export function isFormat(name: string): boolean {
  return FORMATS.has(name);
}

export function formatText(name: string, value: Json): string {
  return FORMATS.get(name)?.(value) ?? '';
}

function decoded(text: string): string {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/(?<!=)=+$/, '').length % 4 === 1)
    throw new JqError(`@base64d cannot be applied to: ${formatValue(text)}`);
  return Buffer.from(text, 'base64').toString();
}

function row(value: Json, name: string, separator: string, quoted: (text: string) => string): string {
  if (!isArray(value)) throw new JqError(`@${name} cannot be applied to: ${formatValue(value)}`);
  return value
    .map((item) => {
      if (isArray(item) || isObject(item)) throw new JqError(`@${name} cannot be applied to: ${formatValue(item)}`);
      if (typeof item === 'string') return quoted(item);
      return item === null ? '' : toJson(item);
    })
    .join(separator);
}

function shellWord(value: Json): string {
  if (isArray(value) || isObject(value)) throw new JqError(`@sh cannot be applied to: ${formatValue(value)}`);
  return typeof value === 'string' ? `'${value.replace(/'/g, "'\\''")}'` : toJson(value);
}
