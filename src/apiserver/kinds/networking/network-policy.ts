import { own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkCidr, isCidr, strictlyInside } from '../validation/addresses.js';
import {
  AGE,
  column,
  NAME,
  ensure,
  fill,
  has,
  items,
  maybe,
  number,
  sub,
  text,
  texts,
  kind,
} from '../../resources/index.js';
import { checkSelector, selectorText } from '../validation/label-selectors.js';
import { portName, portNumber } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

export const NETWORK_POLICY = kind({
  columns: [NAME, column('Pod-Selector', (object) => selectorText(sub(object, 'spec.podSelector'))), AGE],
  strategy: {
    generation: true,
    defaults(object) {
      const spec = ensure(object, 'spec');
      if (texts(spec, 'policyTypes').length === 0)
        spec.policyTypes = items(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
      for (const rule of [...items(spec, 'ingress'), ...items(spec, 'egress')])
        for (const port of items(rule, 'ports')) fill(port, { protocol: 'TCP' });
    },
    validate: (object) => collectFieldErrors((to) => check(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => check(to, next)),
  },
});

function check(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  checkSelector(to, sub(spec, 'podSelector'), 'spec.podSelector');
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    items(spec, direction).forEach((rule, index) => {
      const field = `spec.${direction}[${index}]`;
      items(rule, 'ports').forEach((port, at) => checkPort(to, port, `${field}.ports[${at}]`));
      items(rule, peers).forEach((peer, at) => checkPeer(to, peer, `${field}.${peers}[${at}]`));
    });
  }
  const types = texts(spec, 'policyTypes');
  if (types.length > 2) return to.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes');
  types.forEach((type, index) => {
    if (!['Ingress', 'Egress'].includes(type))
      to.unsupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']);
  });
}

function checkPort(to: FieldErrors, entry: JsonObject, field: string): void {
  to.oneOf(entry, field, 'protocol', ['TCP', 'UDP', 'SCTP']);
  const port = own(entry, 'port');
  const end = number(entry, 'endPort');
  if (typeof port === 'number') {
    to.invalidEach(`${field}.port`, port, portNumber(port));
    if (end === undefined) return;
    if (end < port) to.invalid(`${field}.endPort`, port, 'must be greater than or equal to `port`');
    to.invalidEach(`${field}.endPort`, end, portNumber(end));
  } else if (typeof port === 'string') {
    if (end !== undefined) to.invalid(`${field}.endPort`, end, 'may not be specified when `port` is non-numeric');
    to.invalidEach(`${field}.port`, port, portName(port));
  } else if (end !== undefined)
    to.invalid(`${field}.endPort`, end, 'may not be specified when `port` is not specified');
}

function checkPeer(to: FieldErrors, peer: JsonObject, field: string): void {
  let peers = 0;
  for (const key of ['podSelector', 'namespaceSelector']) {
    const selector = maybe(peer, key);
    if (selector === undefined) continue;
    peers++;
    checkSelector(to, selector, `${field}.${key}`);
  }
  const block = maybe(peer, 'ipBlock');
  if (block !== undefined) {
    peers++;
    checkBlock(to, block, `${field}.ipBlock`);
  }
  if (peers === 0) to.required(field, 'must specify a peer');
  else if (peers > 1 && has(peer, 'ipBlock')) to.forbidden(field, 'may not specify both ipBlock and another peer');
}

function checkBlock(to: FieldErrors, block: JsonObject, field: string): void {
  const cidr = text(block, 'cidr');
  if (cidr === '') return to.required(`${field}.cidr`);
  if (!checkCidr(to, `${field}.cidr`, cidr)) return;
  texts(block, 'except').forEach((except, index) => {
    checkCidr(to, `${field}.except[${index}]`, except);
    if (isCidr(except) && !strictlyInside(except, cidr))
      to.invalid(`${field}.except[${index}]`, except, 'must be a strict subset of `cidr`');
  });
}
