import { checkDns1035Label, checkDns1123Subdomain, type KubeObject } from '../../model/kubernetes/index.js';
import { equal, own, type Json, type JsonObject } from '../../model/json/index.js';
import { forbiddenField, invalidField, requiredField, unsupportedField, type FieldError } from '../errors/index.js';
import { parseUrl } from '../cel/index.js';
import { list, object, readCrd, text, type Crd, type CrdNames, type CrdVersion } from './crd.js';
import { goJson, versionsJson } from './internal-json.js';
import { validateVersionParts } from './validate-version.js';

const APPROVAL = 'api-approved.kubernetes.io';

/** Everything that the server checks of a new CRD besides its metadata. */
export function validateCrd(crd: KubeObject): FieldError[] {
  const read = readCrd(crd);
  const { name, names, group } = read;
  return [
    ...(name === `${names.plural}.${group}`
      ? []
      : [invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(read),
    ...storedVersionErrors(crd, read),
    ...approvalErrors(crd, undefined),
    ...(read.preserveUnknownFields
      ? [
          invalidField(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
}

/** The same for a change; names and scope of an established CRD are fixed. */
export function validateCrdUpdate(next: KubeObject, previous: KubeObject): FieldError[] {
  const now = readCrd(next);
  const was = readCrd(previous);
  const fixed = (field: string, value: string, old: string): FieldError[] =>
    value === old ? [] : [invalidField(`spec.${field}`, value, 'field is immutable')];
  const established = list(object(previous['status']).conditions)
    .map(object)
    .some(({ type, status }) => type === 'Established' && status === 'True');
  return [
    ...specErrors(now),
    ...(established
      ? [...fixed('scope', now.scope, was.scope), ...fixed('names.kind', now.names.kind, was.names.kind)]
      : []),
    ...fixed('group', now.group, was.group),
    ...fixed('names.plural', now.names.plural, was.names.plural),
    ...storedVersionErrors(next, now),
    ...approvalErrors(next, previous),
    ...(now.preserveUnknownFields && !was.preserveUnknownFields
      ? [
          invalidField(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
}

const SCOPES: readonly string[] = ['Cluster', 'Namespaced'];

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [requiredField('spec.scope')];
  return SCOPES.includes(scope) ? [] : [unsupportedField('spec.scope', scope, SCOPES)];
}

function specErrors(crd: Crd): FieldError[] {
  return [
    ...groupErrors(crd.group),
    ...scopeErrors(crd.scope),
    ...versionErrors(crd),
    ...requiredNames(crd.names),
    ...nameErrors(crd.names),
    ...sharedErrors(crd),
    ...conversionErrors(crd.conversion),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [requiredField('spec.group')];
  const wrong = checkDns1123Subdomain(group);
  if (wrong.length > 0) return [invalidField('spec.group', group, wrong.join(','))];
  return group.includes('.') ? [] : [invalidField('spec.group', group, 'should be a domain with at least one dot')];
}

/**
 * What is the same in all versions counts once for the CRD: messages then name `spec.validation` instead of
 * `spec.versions[0].schema`.
 */
interface Shared {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectableFields: boolean;
}

function sharedParts({ versions }: Crd): Shared {
  const same = (read: (version: CrdVersion) => Json | undefined): boolean =>
    versions.every((version) =>
      equal(read(version) ?? null, versions[0] === undefined ? null : (read(versions[0]) ?? null)),
    );
  return {
    schema: same((version) => version.schema),
    subresources: same((version) => [version.status, version.scale === undefined ? null : { ...version.scale }]),
    columns: same((version) => version.columns.map((column) => ({ ...column }))),
    selectableFields: same((version) => [...version.selectableFields]),
  };
}

function versionErrors(crd: Crd): FieldError[] {
  const shared = sharedParts(crd);
  const errors: FieldError[] = [];
  if (!shared.schema || crd.versions[0]?.schema === undefined) {
    crd.versions.forEach((version, index) => {
      if (version.schema === undefined) errors.push(requiredField(`spec.versions[${index}].schema.openAPIV3Schema`));
    });
  }
  crd.versions.forEach((version, index) => {
    const path = `spec.versions[${index}]`;
    const wrong = checkDns1035Label(version.name);
    if (wrong.length > 0) errors.push(invalidField(`${path}.name`, version.name, wrong.join(',')));
    errors.push(...deprecationErrors(version, path));
    errors.push(
      ...validateVersionParts(version, {
        ...(shared.schema ? {} : { schema: `${path}.schema` }),
        ...(shared.subresources ? {} : { subresources: `${path}.subresources` }),
        ...(shared.columns ? {} : { columns: `${path}.additionalPrinterColumns` }),
        ...(shared.selectableFields ? {} : { selectableFields: `${path}.selectableFields` }),
      }),
    );
  });
  const allVersions = (why: string): FieldError => ({
    field: 'spec.versions',
    type: 'FieldValueInvalid',
    detail: `Invalid value: ${goJson(versionsJson(crd.versions, shared))}: ${why}`,
  });
  if (new Set(crd.versions.map((version) => version.name)).size !== crd.versions.length)
    errors.push(allVersions('must contain unique version names'));
  if (crd.versions.filter((version) => version.storage).length !== 1)
    errors.push(allVersions('must have exactly one version marked as storage version'));
  const [first] = crd.versions;
  const wrong = first === undefined || first.name === '' ? [] : checkDns1035Label(first.name);
  if (first !== undefined && wrong.length > 0) errors.push(invalidField('spec.version', first.name, wrong.join(',')));
  return errors;
}

function sharedErrors(crd: Crd): FieldError[] {
  const [version] = crd.versions;
  if (version === undefined) return [];
  const shared = sharedParts(crd);
  const status = crd.versions.some((one) => one.status);
  return validateVersionParts(
    { ...version, status },
    {
      ...(shared.schema ? { schema: 'spec.validation' } : {}),
      ...(shared.subresources ? { subresources: 'spec.subresources' } : {}),
      ...(shared.columns ? { columns: 'spec.additionalPrinterColumns' } : {}),
      ...(shared.selectableFields ? { selectableFields: 'spec.selectableFields' } : {}),
    },
  );
}

function deprecationErrors({ deprecated, deprecationWarning: warning }: CrdVersion, path: string): FieldError[] {
  if (warning === undefined) return [];
  const wrong = (why: string): FieldError => invalidField(`${path}.deprecationWarning`, warning, why);
  if (!deprecated) return [wrong('can only be set for deprecated versions')];
  if (Buffer.byteLength(warning) > 256) return [wrong('must be <= 256 characters long')];
  if (warning === '') return [wrong('must not be an empty string')];
  const at = Array.from(warning).findIndex((char) => /[\p{C}\p{Zl}\p{Zp}]/u.test(char));
  return at < 0
    ? []
    : [wrong(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`)];
}

function requiredNames(names: CrdNames): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => names[name] === '')
    .map((name) => requiredField(`spec.names.${name}`));
}

function nameErrors(names: CrdNames): FieldError[] {
  const errors: FieldError[] = [];
  const label = (field: string, value: string): void => {
    const wrong = checkDns1035Label(value);
    if (wrong.length > 0) errors.push(invalidField(`spec.names.${field}`, value, wrong.join(',')));
  };
  for (const name of ['plural', 'singular'] as const) if (names[name] !== '') label(name, names[name]);
  for (const name of ['kind', 'listKind'] as const) {
    const wrong = names[name] === '' ? [] : checkDns1035Label(names[name].toLowerCase());
    if (wrong.length > 0)
      errors.push(
        invalidField(
          `spec.names.${name}`,
          names[name],
          `may have mixed case, but should otherwise match: ${wrong.join(',')}`,
        ),
      );
  }
  names.shortNames.forEach((name, index) => label(`shortNames[${index}]`, name));
  if (names.kind !== '' && names.kind === names.listKind)
    errors.push(invalidField('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  names.categories.forEach((name, index) => label(`categories[${index}]`, name));
  return errors;
}

function conversionErrors(conversion: JsonObject): FieldError[] {
  const strategy = text(conversion.strategy);
  if (strategy === '') return Object.keys(conversion).length === 0 ? [] : [requiredField('spec.conversion.strategy')];
  if (strategy === 'Webhook') {
    return [
      invalidField(
        'spec.conversion.strategy',
        strategy,
        'Argosy cannot call conversion webhooks yet; use strategy None with versions of the same shape, or ' +
          'a cluster that runs the webhook',
      ),
    ];
  }
  if (strategy !== 'None') return [unsupportedField('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  const webhook = object(conversion.webhook);
  const says = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook.clientConfig === undefined ? [] : [forbiddenField('spec.conversion.webhookClientConfig', says)]),
    ...(list(webhook.conversionReviewVersions).length === 0
      ? []
      : [forbiddenField('spec.conversion.conversionReviewVersions', says)]),
  ];
}

function storedVersionErrors(crd: KubeObject, { versions }: Crd): FieldError[] {
  const stored = list(object(crd['status']).storedVersions).map(text);
  const path = 'status.storedVersions';
  if (stored.length === 0) return [invalidField(path, null, 'must have at least one stored version')];
  const missing = versions
    .filter((version) => version.storage && !stored.includes(version.name))
    .map((version) => invalidField(path, stored, `must have the storage version ${version.name}`));
  const gone = stored.flatMap((name, index) =>
    versions.some((version) => version.name === name)
      ? []
      : [
          invalidField(
            `${path}[${index}]`,
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
              `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
              `removes ${name} from status.storedVersions`,
          ),
        ],
  );
  return [...missing, ...gone];
}

/** Groups of the Kubernetes project itself need a sign that the API was reviewed. */
function approvalErrors(crd: KubeObject, previous: KubeObject | undefined): FieldError[] {
  const group = text(object(crd['spec']).group);
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const annotation = annotationOf(crd);
  if (previous !== undefined && annotationOf(previous) === annotation) return [];
  const url = parseUrl(annotation);
  if (annotation.startsWith('unapproved') || (url !== undefined && url.host !== '' && url.scheme !== '')) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (annotation === '')
    return [requiredField(field, `protected groups must have approval annotation "${APPROVAL}", ${see}`)];
  return [
    invalidField(
      field,
      annotation,
      `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting ` +
        `with "unapproved", ${see}`,
    ),
  ];
}

const annotationOf = (crd: KubeObject): string => text(own(object(crd.metadata.annotations), APPROVAL));
