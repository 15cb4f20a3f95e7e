import { parseAddress } from './ip-address.js';
import { parseUrl } from './functions/urls.js';
import { parseDuration, parseTimestamp } from './values.js';

const HEX32 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i;
const CARDS = [
  /^4\d{12}(?:\d{3})?$/,
  /^5[1-5]\d{14}$/,
  /^6(?:011|5\d\d)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^(?:2131|1800|35\d{3})\d{11}$/,
];
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DURATION_UNITS = new Set([
  'ns',
  'nano',
  'us',
  'µs',
  'micro',
  'ms',
  'milli',
  's',
  'sec',
  'm',
  'min',
  'h',
  'hr',
  'hour',
  'd',
  'day',
  'w',
  'wk',
  'week',
  'nanosecond',
  'microsecond',
  'millisecond',
  'second',
  'minute',
]);

function isUuid(text: string, version?: string): boolean {
  const match = HEX32.exec(text);
  if (match === null) return false;
  return version === undefined || (match[1] === version && (version === '3' || /[89ab]/i.test(match[2] ?? '')));
}

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length > 1 && !/^[a-zA-Z\p{L}]{2,63}$/u.test(last)) return false;
  return labels.every(
    (label) =>
      Buffer.byteLength(label) <= 63 &&
      /^[a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$/u.test(label),
  );
}

const loose = (text: string): string => text.replace(/\b0+(?=\d)/g, '');

function isCidr(text: string): boolean {
  const slash = text.lastIndexOf('/');
  const address =
    slash < 0 ? undefined : parseAddress(text.includes(':') ? text.slice(0, slash) : loose(text.slice(0, slash)));
  const bits = text.slice(slash + 1);
  return address !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= address.width;
}

function isMac(text: string): boolean {
  const form = /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1)*[0-9a-f]{2}|(?:[0-9a-f]{4}\.)+[0-9a-f]{4})$/i;
  return form.test(text) && [12, 16, 40].includes(text.replace(/[:.-]/g, '').length);
}

/** A date of the calendar. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
}

function isDuration(text: string): boolean {
  if (parseDuration(text) !== undefined) return true;
  const found = [...text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)];
  return (
    found.length > 0 &&
    found.every(
      ([, , unit = '']) =>
        DURATION_UNITS.has(unit.toLowerCase()) || DURATION_UNITS.has(unit.toLowerCase().replace(/s$/, '')),
    )
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((sum, char, index) => sum + (10 - index) * (char === 'X' ? 10 : Number(char)), 0) % 11 ===
    0
  );
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  return (
    /^\d{13}$/.test(digits) &&
    Array.from(digits).reduce((sum, char, index) => sum + (index % 2 === 0 ? 1 : 3) * Number(char), 0) % 10 === 0
  );
}

function isCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '');
  if (!CARDS.some((card) => card.test(digits))) return false;
  const sum = Array.from(digits)
    .reverse()
    .map(Number)
    .reduce((total, digit, index) => total + (index % 2 === 0 ? digit : luhnDouble(digit)), 0);
  return sum % 10 === 0;
}

/** The sum of the digits of twice the digit. */
function luhnDouble(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

const isRgb = (text: string): boolean => {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return (
    match !== null && match.slice(1).every((part) => Number(part) < 256 && (part === '0' || !part.startsWith('0')))
  );
};

/** The formats that Kubernetes checks in CRD schemas, by name without dashes. Others are accepted and ignored. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', (text: string) => /^[0-9a-f]{24}$/i.test(text)],
  ['uri', (text: string) => parseUrl(text) !== undefined],
  ['email', (text: string) => /^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', (text: string) => parseAddress(loose(text))?.width === 32],
  ['ipv6', (text: string) => parseAddress(text)?.width === 128],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text: string) => isUuid(text)],
  ['uuid3', (text: string) => isUuid(text, '3')],
  ['uuid4', (text: string) => isUuid(text, '4')],
  ['uuid5', (text: string) => isUuid(text, '5')],
  ['isbn', (text: string) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCard],
  ['ssn', (text: string) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text: string) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgb],
  ['byte', (text: string) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 && text !== ''],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', (text: string) => parseTimestamp(text) !== undefined],
  ['k8sshortname', (text: string) => text.length <= 63 && SHORT_NAME.test(text)],
  ['k8slongname', (text: string) => text.length <= 253 && text.split('.').every((part) => SHORT_NAME.test(part))],
]);

const formatName = (format: string): string => format.replaceAll('-', '');

/** The check of a format, or undefined for one that Kubernetes does not know. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  return FORMATS.get(formatName(format));
}
