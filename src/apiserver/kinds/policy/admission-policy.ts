import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  type Column,
  AGE,
  column,
  NAME,
  ensure,
  fill,
  has,
  items,
  maybe,
  sub,
  text,
  texts,
  keepMetadata,
  kind,
  WITH_STATUS,
  type BuiltinKind,
} from '../../resources/index.js';
import { checkSelector, selectorText } from '../validation/label-selectors.js';
import { dnsLabel1035, pathSegment, subdomain } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { checkMatchConditions, checkRuleWithOperations } from './webhooks.js';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const ONE_NEEDED = 'validations or auditAnnotations must contain at least one item';

function matchDefaults(match: JsonObject | undefined): void {
  if (match === undefined) return;
  fill(match, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  for (const rule of [...items(match, 'resourceRules'), ...items(match, 'excludeResourceRules')])
    fill(rule, { scope: '*' });
}

function checkMatch(to: FieldErrors, match: JsonObject, field: string): void {
  to.oneOf(match, field, 'matchPolicy', ['Equivalent', 'Exact'], 'required');
  for (const key of ['namespaceSelector', 'objectSelector']) checkSelector(to, sub(match, key), `${field}.${key}`);
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    items(match, list).forEach((rule, index) => {
      const path = `${field}.${list}[${index}]`;
      const names = texts(rule, 'resourceNames');
      names.forEach((name, at) => {
        to.invalidEach(`${path}.resourceNames[${at}]`, name, pathSegment(name));
        if (names.indexOf(name) < at) to.duplicate(`${path}.resourceNames[${at}]`, name);
      });
      checkRuleWithOperations(to, rule, path);
    });
  }
}

function paramKindText(object: KubeObject): string {
  const param = maybe(object, 'spec.paramKind');
  return param === undefined ? '<unset>' : `${text(param, 'apiVersion')}/${text(param, 'kind')}`;
}

function checkParamKind(to: FieldErrors, param: JsonObject, field: string): void {
  const version = text(param, 'apiVersion');
  const parts = version.split('/');
  if (version === '') to.required(`${field}.apiVersion`);
  else if (parts.length > 2) to.invalid(`${field}.apiVersion`, version, `unexpected GroupVersion string: ${version}`);
  else {
    const [group, plain] = parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : ['', version];
    if (group !== '' && subdomain(group).length > 0)
      to.invalid(`${field}.apiVersion`, group, subdomain(group).join(','));
    if (plain === '') to.invalid(`${field}.apiVersion`, version, 'version must be specified');
    else if (dnsLabel1035(plain).length > 0) to.invalid(`${field}.apiVersion`, plain, dnsLabel1035(plain).join(','));
  }
  const name = text(param, 'kind');
  const complaints = dnsLabel1035(name.toLowerCase());
  if (name === '') to.required(`${field}.kind`);
  else if (complaints.length > 0)
    to.invalid(`${field}.kind`, name, `may have mixed case, but should otherwise match: ${complaints.join(',')}`);
}

function policy(list: 'validations' | 'mutations', title: string): BuiltinKind {
  const check = (object: KubeObject): ReturnType<typeof collectFieldErrors> =>
    collectFieldErrors((to) => {
      const spec = sub(object, 'spec');
      to.oneOf(spec, 'spec', 'failurePolicy', ['Fail', 'Ignore'], 'required');
      const param = maybe(spec, 'paramKind');
      if (param !== undefined) checkParamKind(to, param, 'spec.paramKind');
      const match = maybe(spec, 'matchConstraints');
      if (match === undefined) to.required('spec.matchConstraints');
      else {
        checkMatch(to, match, 'spec.matchConstraints');
        if (items(match, 'resourceRules').length === 0) to.required('spec.matchConstraints.resourceRules');
      }
      checkMatchConditions(to, spec, 'spec.matchConditions');
      items(spec, 'variables').forEach((variable, index) => {
        if (text(variable, 'name').trim() === '') to.required(`spec.variables[${index}].name`, 'name is not specified');
        if (text(variable, 'expression').trim() === '')
          to.required(`spec.variables[${index}].expression`, 'expression is not specified');
      });
      if (list === 'validations') checkValidations(to, spec);
      else if (items(spec, 'mutations').length === 0)
        to.required('spec.mutations', 'mutations must contain at least one item');
    });
  return kind({
    columns: [
      NAME,
      column(title, (object) => items(maybe(object, 'spec'), list).length, 'integer'),
      column('ParamKind', paramKindText),
      AGE,
    ],
    strategy: {
      ...WITH_STATUS,
      prepareStatusUpdate: keepMetadata,
      defaults(object) {
        const spec = ensure(object, 'spec');
        fill(spec, { failurePolicy: 'Fail' });
        matchDefaults(maybe(spec, 'matchConstraints'));
      },
      validate: check,
      validateUpdate: check,
    },
  });
}

function checkValidations(to: FieldErrors, spec: JsonObject): void {
  const [validations, audits] = [items(spec, 'validations'), items(spec, 'auditAnnotations')];
  if (validations.length === 0 && audits.length === 0) {
    to.required('spec.validations', ONE_NEEDED);
    to.required('spec.auditAnnotations', ONE_NEEDED);
  }
  validations.forEach((validation, index) => {
    const field = `spec.validations[${index}]`;
    const message = text(validation, 'message');
    if (text(validation, 'expression').trim() === '') to.required(`${field}.expression`, 'expression is not specified');
    if (message !== '' && message.trim() === '')
      to.invalid(`${field}.message`, message, 'must be non-empty if specified');
    else if (message.trim().includes('\n')) to.invalid(`${field}.message`, message, 'must not contain line breaks');
    to.oneOf(validation, field, 'reason', ['Forbidden', 'Invalid', 'RequestEntityTooLarge']);
  });
}

function binding(actions: boolean): BuiltinKind {
  const columns: Column[] = [
    NAME,
    column('PolicyName', (object) => text(maybe(object, 'spec'), 'policyName')),
    column('ParamRef', (object) => {
      const ref = maybe(object, 'spec.paramRef');
      if (ref === undefined) return '<unset>';
      if (text(ref, 'name') !== '') return `${text(ref, 'namespace') || '*'}/${text(ref, 'name')}`;
      return has(ref, 'selector') ? selectorText(sub(ref, 'selector')) : '<unset>';
    }),
    AGE,
  ];
  const check = (object: KubeObject): ReturnType<typeof collectFieldErrors> =>
    collectFieldErrors((to) => {
      const spec = sub(object, 'spec');
      const name = text(spec, 'policyName');
      if (name === '') to.required('spec.policyName');
      else to.invalidEach('spec.policyName', name, subdomain(name));
      const match = maybe(spec, 'matchResources');
      if (match !== undefined) checkMatch(to, match, 'spec.matchResouces');
      if (actions) checkActions(to, texts(spec, 'validationActions'), 'spec.validationActions');
    });
  return kind({
    columns,
    strategy: {
      generation: true,
      defaults: (object) => matchDefaults(maybe(object, 'spec.matchResources')),
      validate: check,
      validateUpdate: check,
    },
  });
}

function checkActions(to: FieldErrors, actions: string[], field: string): void {
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) to.unsupported(`${field}[${index}]`, action, ACTIONS);
    if (actions.indexOf(action) < index) to.duplicate(`${field}[${index}]`, action);
  });
  if (actions.includes('Deny') && actions.includes('Warn')) {
    to.invalid(
      field,
      actions,
      'must not contain both Deny and Warn (repeating the same validation failure information in the API ' +
        'response and headers serves no purpose)',
    );
  }
  if (actions.length === 0) to.required(field, 'at least one validation action is required');
}

export const VALIDATING_ADMISSION_POLICY = policy('validations', 'Validations');
export const MUTATING_ADMISSION_POLICY = policy('mutations', 'Mutations');
export const VALIDATING_ADMISSION_POLICY_BINDING = binding(true);
export const MUTATING_ADMISSION_POLICY_BINDING = binding(false);
