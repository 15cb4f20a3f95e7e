import { RE2JS } from 're2js';
import { quoteRune } from '../../../model/go/index.js';

type FormatCheck = (text: string) => string | undefined;

const FORMATS: Readonly<Record<string, FormatCheck>> = {
  'json-pointer': jsonPointer,
  'relative-json-pointer': relativePointer,
  uuid,
  duration,
  period,
  ipv4,
  ipv6,
  hostname,
  email,
  date,
  semver,
  regex,
  uri,
  time: timeOfDay,
  'date-time': dateTime,
  iri: uri,
  'uri-reference': uriReference,
  'iri-reference': uriReference,
  'uri-template': uriTemplate,
};

/** What is wrong with a text of a format; undefined if nothing, or if the format is not known. */
export function checkFormat(name: string, text: string): string | undefined {
  return Object.hasOwn(FORMATS, name) ? FORMATS[name]?.(text) : undefined;
}

function strange(text: string, allowed: RegExp): string | undefined {
  for (const char of text) if (!allowed.test(char)) return quoteRune(char.codePointAt(0) ?? 0, false);
  return undefined;
}

function jsonPointer(text: string): string | undefined {
  if (text === '') return undefined;
  if (!text.startsWith('/')) return 'not starting with /';
  return /~(?![01])/.test(text) ? '~ must be followed by 0 or 1' : undefined;
}

function relativePointer(text: string): string | undefined {
  const digits = /^\d*/.exec(text)?.[0] ?? '';
  if (digits === '') return 'must start with non-negative integer';
  if (digits.length > 1 && digits.startsWith('0')) return 'starts with zero';
  const rest = text.slice(digits.length);
  return rest === '#' ? undefined : jsonPointer(rest);
}

function uuid(text: string): string | undefined {
  const lengths = [8, 4, 4, 4, 12];
  const groups = text.split('-');
  if (groups.length !== lengths.length) return `must have ${lengths.length} elements`;
  for (const [index, group] of groups.entries()) {
    if (group.length !== lengths[index]) return `element ${index + 1} must be ${lengths[index] ?? 0} characters long`;
    const char = strange(group, /[0-9a-fA-F]/);
    if (char !== undefined) return `non-hex character ${char}`;
  }
  return undefined;
}

function duration(text: string): string | undefined {
  if (!text.startsWith('P')) return 'must start with P';
  const rest = text.slice(1);
  if (rest === '') return 'nothing after P';
  if (rest.endsWith('W')) {
    if (rest === 'W') return 'no number in week';
    return /^\d+W$/.test(rest) ? undefined : 'invalid week';
  }
  const parts = rest.split('T');
  for (const [index, part] of parts.entries()) {
    if (index > 0 && part === '') return 'no time elements';
    if (index > 1) return 'more than one T';
    const problem = durationPart(part, index === 0 ? 'YMD' : 'HMS');
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function durationPart(part: string, all: string): string | undefined {
  let units = all;
  let rest = part;
  while (rest !== '') {
    const digits = /^\d*/.exec(rest)?.[0] ?? '';
    if (digits === '') return 'missing number';
    const unit = rest.charAt(digits.length);
    if (unit === '') return 'missing unit';
    const at = units.indexOf(unit);
    if (at < 0) return all.includes(unit) ? `unit '${unit}' out of order` : `invalid unit '${unit}'`;
    units = units.slice(at + 1);
    rest = rest.slice(digits.length + 1);
  }
  return undefined;
}

function period(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return 'missing slash';
  const [start, end] = [text.slice(0, slash), text.slice(slash + 1)];
  const isDuration = start.startsWith('P');
  const first = isDuration ? duration(start) : dateTime(start);
  if (first !== undefined) return `invalid start ${isDuration ? 'duration' : 'date-time'}: ${first}`;
  const endsAsDuration = !isDuration && end.startsWith('P');
  const second = endsAsDuration ? duration(end) : dateTime(end);
  return second === undefined ? undefined : `invalid end ${endsAsDuration ? 'duration' : 'date-time'}: ${second}`;
}

function ipv4(text: string): string | undefined {
  const groups = text.split('.');
  if (groups.length !== 4) return 'expected four decimals';
  for (const group of groups) {
    if (group.length > 1 && group.startsWith('0')) return 'leading zeros';
    if (!/^[+-]?\d+$/.test(group)) return `strconv.Atoi: parsing ${JSON.stringify(group)}: invalid syntax`;
    if (Number(group) < 0 || Number(group) > 255) return 'decimal must be between 0 and 255';
  }
  return undefined;
}

function ipv6(text: string): string | undefined {
  if (!text.includes(':')) return 'missing colon';
  if (text.includes('%')) return 'zone id is not a part of ipv6 address';
  return isSixth(text) ? undefined : `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
}

/** Eight groups of hex digits, one run of which may be left out, the last two perhaps as an IPv4 address. */
function isSixth(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  if (last.includes('.')) {
    if (ipv4(last) !== undefined) return false;
    groups.splice(-1, 1, '0', '0');
  }
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

function hostname(text: string): string | undefined {
  const name = text.replace(/\.$/, '');
  if (name.length > 253) return 'more than 253 characters long';
  for (const label of name.split('.')) {
    if (label.length < 1 || label.length > 63) return 'label must be 1 to 63 characters long';
    if (label.startsWith('-')) return 'label starts with hyphen';
    if (label.endsWith('-')) return 'label ends with hyphen';
    const char = strange(label, /[a-zA-Z0-9-]/);
    if (char !== undefined) return `invalid character ${char}`;
  }
  return undefined;
}

function email(text: string): string | undefined {
  if (text.length > 254) return 'more than 255 characters long';
  const at = text.lastIndexOf('@');
  if (at < 0) return 'missing @';
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  return localPart(local) ?? domainPart(domain);
}

function localPart(local: string): string | undefined {
  if (local.length > 64) return 'local part more than 64 characters long';
  if (local.length > 1 && local.startsWith('"')) {
    return /[\\"]/.test(local.slice(1, -1))
      ? 'backslash and quote are not allowed within quoted local part'
      : undefined;
  }
  if (local.startsWith('.')) return 'starts with dot';
  if (local.endsWith('.')) return 'ends with dot';
  if (local.includes('..')) return 'consecutive dots';
  const char = strange(local, /[a-zA-Z0-9.!#$%&'*+\-/=?^_`{|}~]/);
  return char === undefined ? undefined : `invalid character ${char}`;
}

function domainPart(domain: string): string | undefined {
  if (domain.startsWith('[') && domain.endsWith(']')) {
    const inside = domain.slice(1, -1);
    const isSix = inside.startsWith('IPv6:');
    const problem = isSix ? ipv6(inside.slice(5)) : ipv4(inside);
    return problem === undefined ? undefined : `invalid ipv${isSix ? 6 : 4} address: ${problem}`;
  }
  const problem = hostname(domain);
  return problem === undefined ? undefined : `invalid domain: ${problem}`;
}

function date(text: string): string | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (found === null)
    return `parsing time ${JSON.stringify(text)} as "2006-01-02": cannot parse ${JSON.stringify(text)} as "2006"`;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (month < 1 || month > 12) return `parsing time ${JSON.stringify(text)}: month out of range`;
  const isReal = day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  return isReal ? undefined : `parsing time ${JSON.stringify(text)}: day out of range`;
}

function timeOfDay(text: string): string | undefined {
  if (text.length < 9) return 'less than 9 characters long';
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (found === null)
    return text.charAt(2) !== ':' || text.charAt(5) !== ':' ? 'missing colon in correct place' : 'invalid hour/min/sec';
  const [hour, minute, second, zoneHour, zoneMinute] = [1, 2, 3, 5, 6].map((index) => Number(found[index] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 60) return 'hour/min/sec out of range';
  if (zoneHour > 23 || zoneMinute > 59) return 'hour/min in offset out of range';
  const offset = (zoneHour * 60 + zoneMinute) * (found[4] === '+' ? -1 : 1);
  const minutes = (hour * 60 + minute + offset + 1440) % 1440;
  return second === 60 && minutes !== 1439 ? 'invalid leap second' : undefined;
}

function dateTime(text: string): string | undefined {
  if (text.length < 20) return 'less than 20 characters long';
  if (!/[tT]/.test(text.charAt(10))) return '11th character must be t or T';
  const day = date(text.slice(0, 10));
  if (day !== undefined) return `invalid date element: ${day}`;
  const time = timeOfDay(text.slice(11));
  return time === undefined ? undefined : `invalid time element: ${time}`;
}

function semver(text: string): string | undefined {
  const isVersion = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.test(
    text,
  );
  return isVersion ? undefined : 'versionCore must have 3 numbers separated by dot';
}

function regex(text: string): string | undefined {
  try {
    RE2JS.compile(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** As Go's url.Parse refuses them. */
function urlViolation(text: string): string | undefined {
  const say = (problem: string): string => `parse ${JSON.stringify(text)}: ${problem}`;
  if (/[\x00-\x1f\x7f]/.test(text)) return say('net/url: invalid control character in URL');
  if (text.startsWith(':')) return say('missing protocol scheme');
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text.split('?', 1)[0] ?? '');
  if (escape !== null) return say(`invalid URL escape ${JSON.stringify(escape[0])}`);
  if (/^[^/?#]*:/.test(text) && !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text))
    return say('first path segment in URL cannot contain colon');
  const host = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  const bad = /[ "<>\\^`{|}]/.exec(host.slice(host.lastIndexOf('@') + 1));
  return bad === null ? undefined : say(`invalid character ${JSON.stringify(bad[0])} in host name`);
}

function uri(text: string): string | undefined {
  return urlViolation(text) ?? (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) ? undefined : 'relative url');
}

function uriReference(text: string): string | undefined {
  return text.includes('\\') ? 'contains \\' : urlViolation(text);
}

function uriTemplate(text: string): string | undefined {
  const problem = urlViolation(text);
  if (problem !== undefined) return problem;
  let isOpen = false;
  for (const char of text) {
    if (char !== '{' && char !== '}') continue;
    if ((char === '{') === isOpen) return 'nested curly braces';
    isOpen = !isOpen;
  }
  return isOpen ? 'no matching closing brace' : undefined;
}
