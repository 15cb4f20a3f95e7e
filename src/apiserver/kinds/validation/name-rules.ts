import {
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkHttpHeaderName,
  checkLabelValue,
  checkPathSegmentName,
  checkPercent,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkWildcardDns1123Subdomain,
} from '../../../model/kubernetes/index.js';

/** What is wrong with a name, in the API server's words; empty when nothing is. */
export type NameRule = (value: string) => string[];

export const subdomain: NameRule = checkDns1123Subdomain;
export const wildcardSubdomain: NameRule = checkWildcardDns1123Subdomain;
export const dnsLabel: NameRule = checkDns1123Label;
export const dnsLabel1035: NameRule = checkDns1035Label;
export const labelValue: NameRule = checkLabelValue;
export const qualifiedName: NameRule = checkQualifiedName;
export const httpHeaderName: NameRule = checkHttpHeaderName;
export const percent: NameRule = checkPercent;
export const configKey: NameRule = checkConfigMapKey;
export const portName: NameRule = checkPortName;
export const pathSegment: NameRule = (value) => checkPathSegmentName(value);
export const portNumber: (value: number) => string[] = checkPortNumber;

/** The sentence that names a pattern. */
export function explain(words: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${words} (regex used for validation is '${pattern}')`;
  return (
    `${words} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is ` +
    `'${pattern}')`
  );
}

const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;
const UNDERSCORE_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and " +
  'must start and end with an alphanumeric character';

/** DNS search paths may have underscores. */
export const subdomainWithUnderscore: NameRule = (value) => [
  ...(value.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(new RegExp(`^${UNDERSCORE_SUBDOMAIN}$`).test(value)
    ? []
    : [explain(UNDERSCORE_MESSAGE, UNDERSCORE_SUBDOMAIN, 'example.com')]),
];

/** Since 1.34 any printable name is allowed for an environment variable. */
export const envName: NameRule = (value) =>
  /^[\x20-\x3c\x3e-\x7e]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

export function between(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [`must be between ${low} and ${high}, inclusive`];
}
