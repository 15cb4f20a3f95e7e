import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  count,
  ensure,
  fill,
  has,
  items,
  maybe,
  number,
  text,
  texts,
  kind,
  type BuiltinKind,
} from '../../resources/index.js';
import { checkSelector } from '../validation/label-selectors.js';
import { dnsLabel1035, portNumber, qualifiedName, subdomain } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const FORMAT = '; desired format: https://host[/path]';

/** Rules get all scopes, services port 443. */
function webhookDefaults(webhook: JsonObject, mutating: boolean): void {
  fill(webhook, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(mutating ? { reinvocationPolicy: 'Never' } : {}),
  });
  for (const rule of items(webhook, 'rules')) fill(rule, { scope: '*' });
  const service = maybe(webhook, 'clientConfig.service');
  if (service !== undefined) fill(service, { port: 443 });
}

function webhookConfiguration(mutating: boolean): BuiltinKind {
  const check = (object: KubeObject): ReturnType<typeof collectFieldErrors> =>
    collectFieldErrors((to) => {
      const names = new Set<string>();
      items(object, 'webhooks').forEach((webhook, index) => {
        const field = `webhooks[${index}]`;
        checkWebhook(to, webhook, field, mutating);
        checkReviewVersions(to, texts(webhook, 'admissionReviewVersions'), `${field}.admissionReviewVersions`);
        const name = text(webhook, 'name');
        if (name !== '' && names.has(name)) to.duplicate(`${field}.name`, name);
        names.add(name);
      });
    });
  return kind({
    columns: [NAME, column('Webhooks', (object) => items(object, 'webhooks').length, 'integer'), AGE],
    strategy: {
      generation: true,
      defaults: (object) => items(object, 'webhooks').forEach((webhook) => webhookDefaults(webhook, mutating)),
      validate: check,
      validateUpdate: check,
    },
  });
}

export const MUTATING_WEBHOOK_CONFIGURATION = webhookConfiguration(true);
export const VALIDATING_WEBHOOK_CONFIGURATION = webhookConfiguration(false);

function checkWebhook(to: FieldErrors, webhook: JsonObject, field: string, mutating: boolean): void {
  checkFullName(to, text(webhook, 'name'), `${field}.name`);
  items(webhook, 'rules').forEach((rule, index) => checkRuleWithOperations(to, rule, `${field}.rules[${index}]`));
  to.oneOf(webhook, field, 'failurePolicy', ['Fail', 'Ignore']);
  to.oneOf(webhook, field, 'matchPolicy', ['Equivalent', 'Exact']);
  const effects = ['None', 'NoneOnDryRun'];
  if (!has(webhook, 'sideEffects')) to.required(`${field}.sideEffects`, `must specify one of ${effects.join(', ')}`);
  else to.oneOf(webhook, field, 'sideEffects', effects);
  const timeout = number(webhook, 'timeoutSeconds');
  if (timeout !== undefined && (timeout > 30 || timeout < 1))
    to.invalid(`${field}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds');
  for (const key of ['namespaceSelector', 'objectSelector']) {
    const selector = maybe(webhook, key);
    if (selector !== undefined) checkSelector(to, selector, `${field}.${key}`);
  }
  if (mutating) to.oneOf(webhook, field, 'reinvocationPolicy', ['IfNeeded', 'Never']);
  checkClientConfig(to, ensure(webhook, 'clientConfig'), `${field}.clientConfig`);
  checkMatchConditions(to, webhook, `${field}.matchConditions`);
}

function checkFullName(to: FieldErrors, name: string, field: string): void {
  const complaints = subdomain(name);
  if (name === '') to.required(field);
  else if (complaints.length > 0) to.invalid(field, name, complaints.join(','));
  else if (name.split('.').length < 3)
    to.invalid(field, name, 'should be a domain with at least three segments separated by dots');
}

export function checkRuleWithOperations(to: FieldErrors, rule: JsonObject, field: string): void {
  const operations = texts(rule, 'operations');
  if (operations.length === 0) to.required(`${field}.operations`);
  checkWildcard(to, operations, `${field}.operations`, 'operations');
  operations.forEach((operation, index) => {
    if (!OPERATIONS.includes(operation)) to.unsupported(`${field}.operations[${index}]`, operation, OPERATIONS);
  });
  for (const [key, words] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = texts(rule, key);
    if (values.length === 0) to.required(`${field}.${key}`);
    checkWildcard(to, values, `${field}.${key}`, words);
    if (key === 'apiVersions')
      values.forEach((value, index) => value === '' && to.required(`${field}.${key}[${index}]`));
  }
  checkRuleResources(to, texts(rule, 'resources'), `${field}.resources`);
  to.oneOf(rule, field, 'scope', ['*', 'Cluster', 'Namespaced']);
}

function checkWildcard(to: FieldErrors, values: string[], field: string, words: string): void {
  if (values.length > 1 && values.includes('*'))
    to.invalid(field, values, `if '*' is present, must not specify other ${words}`);
}

function checkRuleResources(to: FieldErrors, resources: string[], field: string): void {
  if (resources.length === 0) to.required(field);
  const [whole, everywhere] = [new Set<string>(), new Set<string>()];
  resources.forEach((entry, index) => {
    if (entry === '') return to.required(`${field}[${index}]`);
    const slash = entry.indexOf('/');
    if (slash < 0) return;
    const [resource, part] = [entry.slice(0, slash), entry.slice(slash + 1)];
    if (whole.has(resource))
      to.invalid(`${field}[${index}]`, entry, `if '${resource}/*' is present, must not specify ${entry}`);
    if (everywhere.has(part))
      to.invalid(`${field}[${index}]`, entry, `if '*/${part}' is present, must not specify ${entry}`);
    if (part === '*') whole.add(resource);
    if (resource === '*') everywhere.add(part);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    to.invalid(field, resources, "if '*/*' is present, must not specify other resources");
  const last = resources.findLast((entry) => entry !== '' && !entry.includes('/'));
  if (resources.includes('*') && last !== undefined && last !== '*')
    to.invalid(field, resources, "if '*' is present, must not specify other resources without subresources");
}

function checkReviewVersions(to: FieldErrors, versions: string[], field: string): void {
  const accepted = ['v1', 'v1beta1'];
  if (versions.length === 0) return to.required(field, `must specify one of ${accepted.join(', ')}`);
  versions.forEach((version, index) => {
    if (versions.indexOf(version) < index) to.invalid(`${field}[${index}]`, version, 'duplicate version');
    else to.invalidEach(`${field}[${index}]`, version, dnsLabel1035(version));
  });
  if (!versions.some((version) => accepted.includes(version)))
    to.invalid(field, versions, `must include at least one of ${accepted.join(', ')}`);
}

function checkClientConfig(to: FieldErrors, config: JsonObject, field: string): void {
  const service = maybe(config, 'service');
  if (has(config, 'url') === (service !== undefined))
    return to.required(field, 'exactly one of url or service is required');
  if (service === undefined) return checkUrl(to, text(config, 'url'), `${field}.url`);
  to.needs(service, `${field}.service`, 'namespace', 'name');
  const port = count(service, 'port');
  const complaints = portNumber(port);
  if (complaints.length > 0) to.invalid(`${field}.service.port`, port, `port is not valid: ${complaints.join(', ')}`);
  checkUrlPath(to, text(service, 'path'), `${field}.service.path`);
}

function checkUrl(to: FieldErrors, url: string, field: string): void {
  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/.exec(url);
  const [, scheme = '', authority = '', , query = '', fragment = ''] = parts ?? [];
  const at = authority.lastIndexOf('@');
  if (scheme.toLowerCase() !== 'https')
    to.invalid(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORMAT}`);
  if (authority.slice(at + 1) === '') to.invalid(field, '', `host must be specified${FORMAT}`);
  if (at >= 0) to.invalid(field, authority.slice(0, at), 'user information is not permitted in the URL');
  if (fragment !== '') to.invalid(field, fragment, 'fragments are not permitted in the URL');
  if (query !== '') to.invalid(field, query, 'query parameters are not permitted in the URL');
}

function checkUrlPath(to: FieldErrors, path: string, field: string): void {
  if (path === '' || path === '/') return;
  if (path === '//') return to.invalid(field, path, 'segment[0] may not be empty');
  if (!path.startsWith('/')) to.invalid(field, path, "must start with a '/'");
  path
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((step, index) => {
      if (step === '') to.invalid(field, path, `segment[${index}] may not be empty`);
      else
        to.invalidEach(
          field,
          path,
          subdomain(step).map((complaint) => `segment[${index}]: ${complaint}`),
        );
    });
}

/** Names and presence; the expressions themselves are not compiled here. */
export function checkMatchConditions(to: FieldErrors, holder: JsonObject, field: string): void {
  const conditions = items(holder, 'matchConditions');
  if (conditions.length > 64) to.tooMany(field, conditions.length, 64);
  const names = new Set<string>();
  conditions.forEach((condition, index) => {
    const name = text(condition, 'name');
    if (text(condition, 'expression').trim() === '') to.required(`${field}[${index}].expression`);
    if (name === '') to.required(`${field}[${index}].name`);
    else to.invalidEach(`${field}[${index}].name`, name, qualifiedName(name));
    if (name !== '' && names.has(name)) to.duplicate(`${field}[${index}].name`, name);
    names.add(name);
  });
}
