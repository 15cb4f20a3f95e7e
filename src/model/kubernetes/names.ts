/**
 * The rules for names of objects, labels, annotations and finalizers. Each function gives what is wrong, in the
 * API server's words; an empty list means valid. Lengths are in bytes of UTF-8.
 */

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS_SUBDOMAIN}`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const PERCENT = '[0-9]+%';
const HEADER_NAME = '[-A-Za-z0-9]+';

interface Rule {
  readonly regex: RegExp;
  readonly text: string;
  readonly message: string;
  readonly examples: readonly string[];
}

function rule(text: string, message: string, ...examples: readonly string[]): Rule {
  return { regex: new RegExp(`^${text}$`), text, message, examples };
}

const RULES = {
  label: rule(
    DNS_LABEL,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start " +
      'and end with an alphanumeric character',
    'my-name',
    '123-abc',
  ),
  subdomain: rule(
    DNS_SUBDOMAIN,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and " +
      'must start and end with an alphanumeric character',
    'example.com',
  ),
  label1035: rule(
    DNS_1035_LABEL,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
      'character, and end with an alphanumeric character',
    'my-name',
    'abc-123',
  ),
  wildcard: rule(
    WILDCARD_SUBDOMAIN,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must " +
      "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    '*.example.com',
  ),
  qualified: rule(
    QUALIFIED_NAME,
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    'MyName',
    'my.name',
    '123-abc',
  ),
  labelValue: rule(
    LABEL_VALUE,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
      'start and end with an alphanumeric character',
    'MyValue',
    'my_value',
    '12345',
  ),
  configKey: rule(
    CONFIG_KEY,
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
  percent: rule(PERCENT, "a valid percent string must be a numeric string followed by an ending '%'", '1%', '93%'),
  headerName: rule(HEADER_NAME, "a valid HTTP header must consist of alphanumeric characters or '-'", 'X-Header-Name'),
} as const satisfies Record<string, Rule>;

function explain({ message, text, examples }: Rule): string {
  return (
    `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is ` +
    `'${text}')`
  );
}

function tooLong(max: number): string {
  return `must be no more than ${max} characters`;
}

function check(value: string, which: Rule, max = Infinity): string[] {
  const wrong: string[] = [];
  if (utf8Length(value) > max) wrong.push(tooLong(max));
  if (!which.regex.test(value)) wrong.push(explain(which));
  return wrong;
}

export function checkDns1123Label(value: string): string[] {
  const wrong = utf8Length(value) > 63 ? [tooLong(63)] : [];
  if (RULES.label.regex.test(value)) return wrong;
  return [...wrong, RULES.subdomain.regex.test(value) ? 'must not contain dots' : explain(RULES.label)];
}

export function checkDns1123Subdomain(value: string): string[] {
  return check(value, RULES.subdomain, 253);
}

export function checkDns1035Label(value: string): string[] {
  return check(value, RULES.label1035, 63);
}

export function checkWildcardDns1123Subdomain(value: string): string[] {
  return check(value, RULES.wildcard, 253);
}

/** A name that becomes part of a URL path, whatever else it is. With `prefix`, the start of a generated name. */
export function checkPathSegmentName(name: string, prefix = false): string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

type NameRule = 'subdomain' | 'label' | 'label1035' | 'path';

/**
 * Checks `metadata.name` (or, with `prefix`, `metadata.generateName`, whose last dash is allowed) by the rule of the
 * kind.
 */
export function checkObjectName(name: string, which: NameRule, prefix = false): string[] {
  if (which === 'path') return checkPathSegmentName(name, prefix);
  // The API server cuts two characters and adds one here; kept, because it decides which prefixes are too long.
  const masked = prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
  if (which === 'label') return checkDns1123Label(masked);
  return which === 'label1035' ? checkDns1035Label(masked) : checkDns1123Subdomain(masked);
}

/** Label keys, annotation keys (given in lower case), finalizers, condition types, resource names: `[prefix/]Name`. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${explain(RULES.qualified)} with an optional DNS subdomain prefix and '/' (e.g. ` +
        `'example.com/MyName')`,
    ];
  }
  const wrong: string[] = [];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === '') wrong.push('prefix part must be non-empty');
  else if (prefix !== undefined)
    wrong.push(...checkDns1123Subdomain(prefix).map((message) => `prefix part ${message}`));
  if (name === '') wrong.push('name part must be non-empty');
  else if (utf8Length(name) > 63) wrong.push(`name part ${tooLong(63)}`);
  if (!RULES.qualified.regex.test(name)) wrong.push(`name part ${explain(RULES.qualified)}`);
  return wrong;
}

export function checkLabelKey(key: string): string[] {
  return checkQualifiedName(key);
}

export function checkLabelValue(value: string): string[] {
  return check(value, RULES.labelValue, 63);
}

/** As a label key, but upper case is allowed in the prefix too. */
export function checkAnnotationKey(key: string): string[] {
  return checkQualifiedName(key.toLowerCase());
}

export function checkFinalizerName(name: string): string[] {
  return checkQualifiedName(name);
}

/** Keys and values of all annotations of one object together may have this many bytes. */
export const ANNOTATIONS_SIZE_LIMIT = 256 * 1024;

export function annotationsSize(annotations: Readonly<Record<string, string>>): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) size += utf8Length(key) + utf8Length(value);
  return size;
}

/** A key of a ConfigMap or Secret. */
export function checkConfigMapKey(key: string): string[] {
  return [...check(key, RULES.configKey, 253), ...upwards(key)];
}

export function checkPercent(value: string): string[] {
  return check(value, RULES.percent);
}

export function checkHttpHeaderName(value: string): string[] {
  return check(value, RULES.headerName);
}

export function checkPortName(name: string): string[] {
  const wrong: string[] = [];
  if (utf8Length(name) > 15) wrong.push(tooLong(15));
  if (!/^[-a-z0-9]+$/.test(name)) wrong.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) wrong.push('must contain at least one letter (a-z)');
  if (name.includes('--')) wrong.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) wrong.push('must not begin or end with a hyphen');
  return wrong;
}

export function checkPortNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/** Names that would leave a directory when mounted as a file. */
function upwards(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // Each half of a surrogate pair counts two, a pair four.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
