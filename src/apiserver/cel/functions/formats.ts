import { checkLabelValue, checkObjectName, checkQualifiedName } from '../../../model/kubernetes/index.js';
import { STRING, listOf, opaque, optionalOf, type CelType } from '../types.js';
import { CelList, Opaque, Optional } from '../values.js';
import { func, method, type Overload } from '../overload.js';
import { formatCheck } from '../string-formats.js';

const FORMAT: CelType = opaque('kubernetes.NamedFormat');
/** What is wrong with a text, in Kubernetes' words; empty where nothing is. */
type NameRule = (text: string) => string[];

const known =
  (format: string, says: string): NameRule =>
  (text) =>
    formatCheck(format)?.(text) === true ? [] : [says];

const NAMED: ReadonlyMap<string, NameRule> = new Map([
  ['dns1123Label', (text) => checkObjectName(text, 'label')],
  ['dns1123Subdomain', (text) => checkObjectName(text, 'subdomain')],
  ['dns1035Label', (text) => checkObjectName(text, 'label1035')],
  ['qualifiedName', checkQualifiedName],
  ['dns1123LabelPrefix', (text) => checkObjectName(text, 'label', true)],
  ['dns1123SubdomainPrefix', (text) => checkObjectName(text, 'subdomain', true)],
  ['dns1035LabelPrefix', (text) => checkObjectName(text, 'label1035', true)],
  ['labelValue', checkLabelValue],
  [
    'uri',
    (text) => (formatCheck('uri')?.(text) === true ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`]),
  ],
  ['uuid', known('uuid', 'does not match the UUID format')],
  ['byte', known('byte', 'invalid base64')],
  ['date', known('date', 'invalid date')],
  ['datetime', known('datetime', 'invalid datetime')],
]);

const namedFormat = (name: string, rule: NameRule): Opaque => new Opaque('kubernetes.NamedFormat', name, { rule });

export const NAMED_FORMATS: readonly Overload[] = [
  ...[...NAMED].map(([name, rule]) => func(`format.${name}`, [], FORMAT, () => namedFormat(name, rule))),
  func('format.named', [STRING], optionalOf(FORMAT), ([name]: [string]) => {
    const rule = NAMED.get(name);
    return rule === undefined ? Optional.none : new Optional(namedFormat(name, rule));
  }),
  method('validate', [FORMAT, STRING], optionalOf(listOf(STRING)), ([format, text]: [Opaque, string], spender) => {
    spender.spend(text.length);
    const errors = (format.content as { readonly rule: NameRule }).rule(text);
    return errors.length === 0 ? Optional.none : new Optional(CelList.of(errors));
  }),
];
