import { own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkAddress, isAddress } from '../validation/addresses.js';
import {
  AGE,
  column,
  NAME,
  count,
  fill,
  has,
  items,
  maybe,
  sub,
  text,
  texts,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import {
  dnsLabel,
  dnsLabel1035,
  explain,
  pathSegment,
  portName,
  portNumber,
  subdomain,
  wildcardSubdomain,
} from '../validation/name-rules.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

export const INGRESS = kind({
  columns: [
    NAME,
    column('Class', (object) => text(maybe(object, 'spec'), 'ingressClassName') || '<none>'),
    column('Hosts', hostsText),
    column('Address', (object) => {
      const found = items(maybe(object, 'status.loadBalancer'), 'ingress').map(
        (entry) => text(entry, 'ip') || text(entry, 'hostname'),
      );
      return [...new Set(found.filter((address) => address !== ''))].sort().join(',');
    }),
    column('Ports', (object) => (items(maybe(object, 'spec'), 'tls').length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  strategy: {
    ...WITH_STATUS,
    prepareCreate(object) {
      object.status = { loadBalancer: {} };
    },
    validate: (object) =>
      collectFieldErrors((to) => {
        checkIngress(to, object);
        const annotation = own(sub(object.metadata, 'annotations'), CLASS_ANNOTATION);
        const className = own(sub(object, 'spec'), 'ingressClassName');
        if (typeof annotation === 'string' && className !== undefined && className !== annotation) {
          to.invalid(
            `annotations.${CLASS_ANNOTATION}`,
            annotation,
            'must match `ingressClassName` when both are specified',
          );
        }
      }),
    validateUpdate: (next) => collectFieldErrors((to) => checkIngress(to, next)),
    validateStatusUpdate: (next) =>
      collectFieldErrors((to) => {
        items(maybe(next, 'status.loadBalancer'), 'ingress').forEach((entry, index) => {
          const field = `status.loadBalancer.ingress[${index}]`;
          const [ip, hostname] = [text(entry, 'ip'), text(entry, 'hostname')];
          if (ip !== '') checkAddress(to, `${field}.ip`, ip);
          if (hostname === '') return;
          to.invalidEach(`${field}.hostname`, hostname, subdomain(hostname));
          if (isAddress(hostname)) to.invalid(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address');
        });
      }),
  },
});

/** Three hosts, then the number of further rules. */
function hostsText(object: KubeObject): string {
  const rules = items(maybe(object, 'spec'), 'rules');
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === 3) more = true;
    const host = text(rule, 'host');
    if (!more && host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

function checkIngress(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const rules = items(spec, 'rules');
  const backend = maybe(spec, 'defaultBackend');
  if (rules.length === 0 && backend === undefined)
    to.invalid('spec', own(spec, 'rules') ?? null, 'either `defaultBackend` or `rules` must be specified');
  if (backend !== undefined) checkBackend(to, backend, 'spec.defaultBackend');
  rules.forEach((rule, index) => checkRule(to, rule, `spec.rules[${index}]`));
  items(spec, 'tls').forEach((tls, index) => {
    texts(tls, 'hosts').forEach((host, at) =>
      to.invalidEach(`spec.tls[${index}].hosts[${at}]`, host, hostErrors(host)),
    );
    const secret = text(tls, 'secretName');
    if (secret !== '') to.invalidEach(`spec.tls[${index}].secretName`, secret, subdomain(secret));
  });
  if (has(spec, 'ingressClassName'))
    to.invalidEach('spec.ingressClassName', text(spec, 'ingressClassName'), subdomain(text(spec, 'ingressClassName')));
}

function hostErrors(host: string): string[] {
  return host.includes('*') ? wildcardSubdomain(host) : subdomain(host);
}

function checkRule(to: FieldErrors, rule: JsonObject, field: string): void {
  const host = text(rule, 'host');
  if (host !== '') {
    if (isAddress(host)) to.invalid(`${field}.host`, host, 'must be a DNS name, not an IP address');
    to.invalidEach(`${field}.host`, host, hostErrors(host));
  }
  const http = maybe(rule, 'http');
  if (http === undefined) return;
  const paths = items(http, 'paths');
  if (paths.length === 0) to.required(`${field}.http.paths`);
  paths.forEach((path, index) => checkPath(to, path, `${field}.http.paths[${index}]`));
}

function checkPath(to: FieldErrors, entry: JsonObject, field: string): void {
  const type = text(entry, 'pathType');
  const path = text(entry, 'path');
  if (!has(entry, 'pathType')) return to.required(`${field}.pathType`, 'pathType must be specified');
  if (type === 'Exact' || type === 'Prefix') {
    if (!path.startsWith('/')) to.invalid(`${field}.path`, path, 'must be an absolute path');
    for (const part of ['//', '/./', '/../', '%2f', '%2F'])
      if (path.includes(part)) to.invalid(`${field}.path`, path, `must not contain '${part}'`);
    for (const end of ['/..', '/.'])
      if (path.endsWith(end)) to.invalid(`${field}.path`, path, `cannot end with '${end}'`);
  } else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) to.invalid(`${field}.path`, path, 'must be an absolute path');
  } else to.unsupported(`${field}.pathType`, type, PATH_TYPES);
  checkBackend(to, sub(entry, 'backend'), `${field}.backend`);
}

function checkBackend(to: FieldErrors, backend: JsonObject, field: string): void {
  const [resource, service] = [maybe(backend, 'resource'), maybe(backend, 'service')];
  if (resource !== undefined && service !== undefined)
    return to.invalid(field, '', 'cannot set both resource and service backends');
  if (resource !== undefined) return checkReference(to, resource, `${field}.resource`);
  if (service === undefined) return to.invalid(field, '', 'resource or service backend is required');
  const name = text(service, 'name');
  if (name === '') to.required(`${field}.service.name`);
  else to.invalidEach(`${field}.service.name`, name, dnsLabel1035(name));
  const port = sub(service, 'port');
  const [portText, number] = [text(port, 'name'), count(port, 'number')];
  if (portText !== '' && number !== 0) to.invalid(field, '', 'cannot set both port name & port number');
  else if (portText !== '') to.invalidEach(`${field}.service.port.name`, portText, portName(portText));
  else if (number !== 0) to.invalidEach(`${field}.service.port.number`, number, portNumber(number));
  else to.required(field, 'port name or number is required');
}

function checkReference(to: FieldErrors, reference: JsonObject, field: string): void {
  if (has(reference, 'apiGroup'))
    to.invalidEach(`${field}.apiGroup`, text(reference, 'apiGroup'), subdomain(text(reference, 'apiGroup')));
  for (const key of ['kind', 'name']) {
    const value = text(reference, key);
    if (value === '') to.required(`${field}.${key}`);
    else to.invalidEach(`${field}.${key}`, value, pathSegment(value));
  }
}

export const INGRESS_CLASS = kind({
  columns: [
    NAME,
    column('Controller', (object) => text(maybe(object, 'spec'), 'controller')),
    column('Parameters', (object) => {
      const parameters = maybe(object, 'spec.parameters');
      if (parameters === undefined) return '<none>';
      const group = has(parameters, 'apiGroup') ? `.${text(parameters, 'apiGroup')}` : '';
      return `${text(parameters, 'kind')}${group}/${text(parameters, 'name')}`;
    }),
    AGE,
  ],
  strategy: {
    generation: true,
    defaults(object) {
      const parameters = maybe(object, 'spec.parameters');
      if (parameters !== undefined) fill(parameters, { scope: 'Cluster' });
    },
    validate: (object) => collectFieldErrors((to) => checkClass(to, sub(object, 'spec'))),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        const controller = text(maybe(next, 'spec'), 'controller');
        if (controller !== text(maybe(previous, 'spec'), 'controller'))
          to.invalid('spec.controller', controller, IMMUTABLE);
        checkClass(to, sub(next, 'spec'));
      }),
  },
});

const CONTROLLER_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

function checkClass(to: FieldErrors, spec: JsonObject): void {
  const controller = text(spec, 'controller');
  if (controller.length > 250) to.tooLong('spec.controller', 250);
  const slash = controller.indexOf('/');
  if (controller === '') to.required('spec.controller');
  else if (slash <= 0 || slash === controller.length - 1)
    to.invalid('spec.controller', controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else {
    const [host, path] = [controller.slice(0, slash), controller.slice(slash + 1)];
    to.invalidEach('spec.controller', host, subdomain(host));
    if (!new RegExp(`^${CONTROLLER_PATH}$`).test(path))
      to.invalid('spec.controller', path, explain('Invalid path', CONTROLLER_PATH));
  }
  const parameters = maybe(spec, 'parameters');
  if (parameters === undefined) return;
  checkReference(to, parameters, 'spec.parameters');
  const scope = text(parameters, 'scope');
  const field = 'spec.parameters';
  if (!['Cluster', 'Namespace'].includes(scope)) to.unsupported(`${field}.scope`, scope, ['Cluster', 'Namespace']);
  else if (scope === 'Cluster' && has(parameters, 'namespace'))
    to.forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'");
  else if (scope === 'Namespace') {
    if (!has(parameters, 'namespace')) to.required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'");
    else to.invalidEach(`${field}.namespace`, text(parameters, 'namespace'), dnsLabel(text(parameters, 'namespace')));
  }
}
