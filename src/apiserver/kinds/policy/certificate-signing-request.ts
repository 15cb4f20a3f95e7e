import { humanDuration } from '../../../model/formats/index.js';
import { isObject, own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { AGE, column, NAME, items, maybe, number, sub, text, texts, kind } from '../../resources/index.js';
import { dnsLabel, subdomain } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export const CERTIFICATE_SIGNING_REQUEST = kind({
  columns: [
    NAME,
    AGE,
    column('SignerName', (object) => text(maybe(object, 'spec'), 'signerName') || '<none>'),
    column('Requestor', (object) => text(maybe(object, 'spec'), 'username')),
    column('RequestedDuration', (object) => {
      const seconds = number(maybe(object, 'spec'), 'expirationSeconds');
      return seconds === undefined ? '<none>' : humanDuration(seconds * 1000);
    }),
    column('Condition', conditionText),
  ],
  fields: { 'spec.signerName': '' },
  strategy: {
    nameRule: 'path',
    prepareCreate(object) {
      object.status = {};
    },
    /** Only the approval and status subresources change a request. */
    prepareUpdate(next, previous) {
      next.spec = previous.spec;
      next.status = previous.status;
    },
    /** An approval changes the conditions and nothing else. */
    prepareSubresource(_, next, previous) {
      next.spec = previous.spec;
      next.status = { ...sub(previous, 'status'), conditions: own(sub(next, 'status'), 'conditions') };
    },
    validate: (object) => collectFieldErrors((to) => check(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => check(to, next)),
    validateStatusUpdate: (next) => collectFieldErrors((to) => checkConditions(to, next)),
  },
});

function conditionText(object: KubeObject): string {
  const types = items(maybe(object, 'status'), 'conditions').map((condition) => text(condition, 'type'));
  const decided = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending';
  const issued = text(maybe(object, 'status'), 'certificate') !== '';
  return [decided, ...(types.includes('Failed') ? ['Failed'] : []), ...(issued ? ['Issued'] : [])].join(',');
}

function check(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const request = text(spec, 'request');
  const pem = Buffer.from(request, 'base64').toString();
  if (!/-----BEGIN (NEW )?CERTIFICATE REQUEST-----/.test(pem)) {
    to.invalid('spec.request', request === '' ? null : request, 'PEM block type must be CERTIFICATE REQUEST');
  }
  const usages = texts(spec, 'usages');
  if (usages.length === 0) to.required('spec.usages');
  usages.forEach((usage, index) => {
    if (!USAGES.includes(usage)) to.unsupported(`spec.usages[${index}]`, usage, USAGES);
  });
  usages.forEach((usage, index) => {
    if (usages.indexOf(usage) < index) to.duplicate(`spec.usages[${index}]`, usage);
  });
  checkSigner(to, text(spec, 'signerName'), 'spec.signerName');
  const seconds = number(spec, 'expirationSeconds');
  if (seconds !== undefined && seconds < 600)
    to.invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)');
  checkConditions(to, object);
}

function checkSigner(to: FieldErrors, signer: string, field: string): void {
  if (signer === '') return to.required(field);
  if (signer === 'kubernetes.io/legacy-unknown')
    return to.invalid(field, signer, 'the legacy signerName is not allowed via this API version');
  const [domain = '', path, ...more] = signer.split('/');
  if (path === undefined || more.length > 0)
    return to.invalid(field, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  to.invalidEach(
    field,
    signer,
    subdomain(domain).map((complaint) => `validating label ${JSON.stringify(domain)}: ${complaint}`),
  );
  if (domain.split('.').length < 2)
    to.invalid(field, signer, 'should be a domain with at least two segments separated by dots');
  for (const part of path.split('.'))
    to.invalidEach(
      field,
      signer,
      dnsLabel(part).map((complaint) => `validating label ${JSON.stringify(part)}: ${complaint}`),
    );
}

function checkConditions(to: FieldErrors, object: KubeObject): void {
  const status = object.status;
  const conditions = isObject(status) ? items(status, 'conditions') : [];
  const seen = new Set<string>();
  conditions.forEach((condition, index) => {
    const field = `status.conditions[${index}]`;
    const [type, value] = [text(condition, 'type'), text(condition, 'status')];
    if (type === '') to.required(`${field}.type`);
    const allowed = ['Approved', 'Denied', 'Failed'].includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (value === '') to.required(`${field}.status`);
    else if (!allowed.includes(value)) to.unsupported(`${field}.status`, value, allowed);
    if ((type === 'Approved' && seen.has('Denied')) || (type === 'Denied' && seen.has('Approved')))
      to.invalid('status.conditions', type, 'Approved and Denied conditions are mutually exclusive');
    if (seen.has(type)) to.duplicate(`${field}.type`, type);
    seen.add(type);
  });
}
