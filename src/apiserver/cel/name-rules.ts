/** What is wrong with a name, in the words of Kubernetes; empty where nothing is. */
export type NameRule = (value: string) => string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const QUALIFIED_SAYS = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const tooLong = (max: number): string => `must be no more than ${max} bytes`;
const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const bytes = (value: string): number => Buffer.byteLength(value);

function wrongForm(says: string, pattern: string, ...examples: readonly string[]): string {
  return `${says} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

// These patterns are ours and have no ambiguous repetition, so JavaScript's engine runs them in linear time.
const IS_LABEL = whole('[a-z0-9]([-a-z0-9]*[a-z0-9])?');
const IS_LABEL_1035 = whole('[a-z]([-a-z0-9]*[a-z0-9])?');
const IS_QUALIFIED = whole('([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]');

const isSubdomain = (value: string): boolean => value.split('.').every((part) => IS_LABEL.test(part));

export const dns1123Subdomain: NameRule = (value) => [
  ...(bytes(value) > 253 ? [tooLong(253)] : []),
  ...(isSubdomain(value) ? [] : [wrongForm("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character", SUBDOMAIN, 'example.com')]),
];

export const dns1123Label: NameRule = (value) => {
  const long = bytes(value) > 63 ? [tooLong(63)] : [];
  if (IS_LABEL.test(value)) return long;
  if (isSubdomain(value)) return [...long, 'must not contain dots'];
  return [...long, wrongForm("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character", LABEL, 'my-name', '123-abc')];
};

export const dns1035Label: NameRule = (value) => [
  ...(bytes(value) > 63 ? [tooLong(63)] : []),
  ...(IS_LABEL_1035.test(value) ? [] : [wrongForm("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character", LABEL_1035, 'my-name', 'abc-123')]),
];

export const labelValue: NameRule = (value) => [
  ...(bytes(value) > 63 ? [tooLong(63)] : []),
  ...(value === '' || IS_QUALIFIED.test(value) ? [] : [wrongForm("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", `(${QUALIFIED})?`, 'MyValue', 'my_value', '12345')]),
];

export const qualifiedName: NameRule = (value) => {
  const parts = value.split('/');
  const form = wrongForm(QUALIFIED_SAYS, QUALIFIED, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2) return [`a qualified name ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1) ?? '';
  const errors: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    errors.push(...(prefix === '' ? ['must be non-empty'] : dns1123Subdomain(prefix)).map((error) => `prefix part ${error}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (bytes(name) > 63) errors.push(`name part ${tooLong(63)}`);
  if (!IS_QUALIFIED.test(name)) errors.push(`name part ${form}`);
  return errors;
};

/** A name that something will be appended to may end in a dash. */
export const asPrefix = (rule: NameRule): NameRule => (value) => rule(value.endsWith('-') && value.length > 1 ? `${value.slice(0, -1)}a` : value);
