import { STRING, listOf, opaque, optionalOf, type CelType } from '../types.js';
import { CelList, Opaque, Optional } from '../values.js';
import { func, method, type Overload } from '../overload.js';
import { asPrefix, dns1035Label, dns1123Label, dns1123Subdomain, labelValue, qualifiedName, type NameRule } from '../name-rules.js';
import { formatCheck } from '../string-formats.js';

const FORMAT: CelType = opaque('kubernetes.NamedFormat');
const known = (format: string, says: string): NameRule => (text) => (formatCheck(format)?.(text) === true ? [] : [says]);

const NAMED: ReadonlyMap<string, NameRule> = new Map([
  ['dns1123Label', dns1123Label],
  ['dns1123Subdomain', dns1123Subdomain],
  ['dns1035Label', dns1035Label],
  ['qualifiedName', qualifiedName],
  ['dns1123LabelPrefix', asPrefix(dns1123Label)],
  ['dns1123SubdomainPrefix', asPrefix(dns1123Subdomain)],
  ['dns1035LabelPrefix', asPrefix(dns1035Label)],
  ['labelValue', labelValue],
  ['uri', (text) => (formatCheck('uri')?.(text) === true ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`])],
  ['uuid', known('uuid', 'does not match the UUID format')],
  ['byte', known('byte', 'invalid base64')],
  ['date', known('date', 'invalid date')],
  ['datetime', known('datetime', 'invalid datetime')],
]);

const make = (name: string, rule: NameRule): Opaque => new Opaque('kubernetes.NamedFormat', name, { rule });

export const NAMED_FORMATS: readonly Overload[] = [
  ...[...NAMED].map(([name, rule]) => func(`format.${name}`, [], FORMAT, () => make(name, rule))),
  func('format.named', [STRING], optionalOf(FORMAT), ([name]: [string]) => {
    const rule = NAMED.get(name);
    return rule === undefined ? Optional.none : new Optional(make(name, rule));
  }),
  method('validate', [FORMAT, STRING], optionalOf(listOf(STRING)), ([format, text]: [Opaque, string], spender) => {
    spender.spend(text.length);
    const errors = (format.content as { readonly rule: NameRule }).rule(text);
    return errors.length === 0 ? Optional.none : new Optional(CelList.of(errors));
  }),
];
