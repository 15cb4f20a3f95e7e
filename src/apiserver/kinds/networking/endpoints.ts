import { equal, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkAddress, familyOf, isAddress } from '../validation/addresses.js';
import { AGE, column, listed, NAME, count, fill, has, items, text, texts, kind } from '../../resources/index.js';
import { checkEndpointAddress } from './endpoint-address.js';
import { dnsLabel, labelValue, portNumber, qualifiedName, subdomain } from '../validation/name-rules.js';
import { PROTOCOLS } from '../pod/containers.js';
import { IMMUTABLE, collectFieldErrors, FieldErrors } from '../validation/field-errors.js';

function endpointsText(object: KubeObject): string {
  const list: string[] = [];
  for (const subset of items(object, 'subsets')) {
    const addresses = items(subset, 'addresses').map((address) => text(address, 'ip'));
    const ports = items(subset, 'ports').map((port) => count(port, 'port'));
    if (ports.length === 0) list.push(...addresses);
    for (const port of ports)
      list.push(...addresses.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)));
  }
  return items(object, 'subsets').length === 0 ? '<none>' : listed(list, 3, '');
}

export const ENDPOINTS = kind({
  columns: [NAME, column('Endpoints', endpointsText), AGE],
  strategy: {
    defaults(object) {
      for (const subset of items(object, 'subsets'))
        for (const port of items(subset, 'ports')) fill(port, { protocol: 'TCP' });
    },
    validate: (object) => collectFieldErrors((to) => checkSubsets(to, object)),
    validateUpdate: (next, previous) =>
      equal(own(next, 'subsets'), own(previous, 'subsets')) ? [] : collectFieldErrors((to) => checkSubsets(to, next)),
  },
});

function checkSubsets(to: FieldErrors, object: KubeObject): void {
  items(object, 'subsets').forEach((subset, index) => {
    const field = `subsets[${index}]`;
    const lists = ['addresses', 'notReadyAddresses'];
    if (lists.every((list) => items(subset, list).length === 0))
      to.required(field, 'must specify `addresses` or `notReadyAddresses`');
    for (const list of lists)
      items(subset, list).forEach((address, at) => checkEndpoint(to, address, `${field}.${list}[${at}]`));
    const ports = items(subset, 'ports');
    ports.forEach((port, at) => {
      const path = `${field}.ports[${at}]`;
      const name = text(port, 'name');
      if (ports.length > 1 && name === '') to.required(`${path}.name`);
      else if (name !== '') to.invalidEach(`${path}.name`, name, dnsLabel(name));
      to.invalidEach(`${path}.port`, count(port, 'port'), portNumber(count(port, 'port')));
      checkProtocols(to, port, path);
    });
  });
}

function checkProtocols(to: FieldErrors, port: JsonObject, field: string): void {
  to.oneOf(port, field, 'protocol', PROTOCOLS, 'required');
  if (has(port, 'appProtocol'))
    to.invalidEach(`${field}.appProtocol`, text(port, 'appProtocol'), qualifiedName(text(port, 'appProtocol')));
}

function checkEndpoint(to: FieldErrors, address: JsonObject, field: string): void {
  const ip = text(address, 'ip');
  checkAddress(to, `${field}.ip`, ip);
  const hostname = text(address, 'hostname');
  if (hostname !== '') to.invalidEach(`${field}.hostname`, hostname, dnsLabel(hostname));
  if (has(address, 'nodeName'))
    to.invalidEach(`${field}.nodeName`, text(address, 'nodeName'), subdomain(text(address, 'nodeName')));
  if (isAddress(ip)) checkEndpointAddress(to, `${field}.ip`, ip);
  else to.invalid(`${field}.ip`, ip, 'must be a valid IP address');
}

export const ENDPOINT_SLICE = kind({
  columns: [
    NAME,
    column('AddressType', (object) => text(object, 'addressType')),
    column('Ports', (object) =>
      listed(
        items(object, 'ports').map((port) =>
          has(port, 'port') ? String(count(port, 'port')) : text(port, 'name') || '*',
        ),
        3,
        '<unset>',
      ),
    ),
    column('Endpoints', (object) =>
      listed(
        items(object, 'endpoints').flatMap((endpoint) => texts(endpoint, 'addresses')),
        3,
        '<unset>',
      ),
    ),
    AGE,
  ],
  strategy: {
    generation: true,
    defaults(object) {
      for (const port of items(object, 'ports')) {
        if (!has(port, 'name')) port.name = '';
        fill(port, { protocol: 'TCP' });
      }
    },
    validate: (object) => collectFieldErrors((to) => checkSlice(to, object, undefined)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkSlice(to, next, previous);
        if (text(next, 'addressType') !== text(previous, 'addressType'))
          to.invalid('addressType', text(next, 'addressType'), IMMUTABLE);
      }),
  },
});

function checkSlice(to: FieldErrors, object: KubeObject, previous: KubeObject | undefined): void {
  const type = text(object, 'addressType');
  if (type === '') to.required('addressType');
  else if (!['FQDN', 'IPv4', 'IPv6'].includes(type)) to.unsupported('addressType', type, ['FQDN', 'IPv4', 'IPv6']);
  const names: string[] = [];
  items(object, 'ports').forEach((port, index) => {
    const name = text(port, 'name');
    if (name !== '') to.invalidEach(`ports[${index}].name`, name, dnsLabel(name));
    if (names.includes(name)) to.duplicate(`ports[${index}].name`, name);
    names.push(name);
    checkProtocols(to, port, `ports[${index}]`);
  });
  const found = new FieldErrors();
  checkSliceEndpoints(found, object, type);
  if (previous === undefined || !equal(own(previous, 'endpoints'), own(object, 'endpoints')))
    to.errors.push(...found.errors);
}

function checkSliceEndpoints(to: FieldErrors, object: KubeObject, type: string): void {
  const endpoints = items(object, 'endpoints');
  if (endpoints.length > 1000) return to.tooMany('endpoints', endpoints.length, 1000);
  endpoints.forEach((endpoint, index) => {
    const field = `endpoints[${index}]`;
    const addresses = texts(endpoint, 'addresses');
    if (addresses.length === 0) to.required(`${field}.addresses`, 'must contain at least 1 address');
    else if (addresses.length > 100) to.tooMany(`${field}.addresses`, addresses.length, 100);
    addresses.forEach((address, at) => checkSliceAddress(to, address, `${field}.addresses`, at, type));
    if (has(endpoint, 'nodeName'))
      to.invalidEach(`${field}.nodeName`, text(endpoint, 'nodeName'), subdomain(text(endpoint, 'nodeName')));
    if (has(endpoint, 'hostname'))
      to.invalidEach(`${field}.hostname`, text(endpoint, 'hostname'), dnsLabel(text(endpoint, 'hostname')));
    const zones = items(own(endpoint, 'hints') as JsonObject | undefined, 'forZones').map((zone) => text(zone, 'name'));
    zones.forEach((zone, at) => {
      if (zones.indexOf(zone) < at) to.duplicate(`${field}.hints.forZones[${at}].name`, zone);
      to.invalidEach(`${field}.hints.forZones[${at}].name`, zone, labelValue(zone));
    });
  });
}

function checkSliceAddress(to: FieldErrors, address: string, field: string, index: number, type: string): void {
  if (type === 'FQDN') return to.invalidEach(`${field}[${index}]`, address, subdomain(address));
  if (type !== 'IPv4' && type !== 'IPv6') return;
  if (!checkAddress(to, `${field}[${index}]`, address)) return;
  if (familyOf(address) !== type) to.invalid(field, address, `must be an ${type} address`);
  checkEndpointAddress(to, `${field}[${index}]`, address);
}
