import { clone, isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { badRequest, invalid, invalidField, notFound } from '../errors/index.js';
import { trackUpdate } from '../apply/index.js';
import { builtinSchema } from '../schema/index.js';
import type { SpecialCall, SpecialHandlers, SpecialResponse } from './special-handlers.js';
import { ownershipAfterWrite, fromStored, keyFor, timestamp } from '../rest/index.js';
import {
  type AccessControl,
  grants,
  type PolicyRule,
  ISSUER,
  type AccessAttributes,
  type User,
} from '../access/index.js';

/** The endpoints that answer questions about access: nothing of them is kept. */
export function reviewHandlers(gate: AccessControl): SpecialHandlers {
  const access = (own: boolean) => (call: SpecialCall) => accessReview(gate, call, own);
  return new Map([
    ['authorization.k8s.io/selfsubjectaccessreviews', { create: access(true) }],
    ['authorization.k8s.io/subjectaccessreviews', { create: access(false) }],
    ['authorization.k8s.io/localsubjectaccessreviews', { create: access(false) }],
    ['authorization.k8s.io/selfsubjectrulesreviews', { create: (call) => rulesReview(gate, call) }],
    ['authentication.k8s.io/selfsubjectreviews', { create: (call) => subjectReview(call) }],
    ['authentication.k8s.io/tokenreviews', { create: (call) => tokenReview(gate, call) }],
    ['/serviceaccounts/token', { create: (call) => tokenRequest(gate, call) }],
  ]);
}

async function reviewBody({ call, context, body }: SpecialCall): Promise<{ review: KubeObject; spec: JsonObject }> {
  const value = (await body())?.value;
  if (!isObject(value)) throw badRequest('a review object is required');
  const review = clone(value) as KubeObject;
  review.apiVersion = `${call.type.group}/${call.type.version}`;
  if (!isObject(review.metadata)) review.metadata = {};
  const spec = own(review, 'spec');
  const managedFields = ownershipAfterWrite(context, call, undefined, review);
  if (managedFields) review.metadata.managedFields = managedFields;
  return { review, spec: isObject(spec) ? spec : {} };
}

async function accessReview(gate: AccessControl, asked: SpecialCall, self: boolean): Promise<SpecialResponse> {
  const { review, spec } = await reviewBody(asked);
  const { kind } = asked.call.type;
  const resource = spec['resourceAttributes'];
  const path = spec['nonResourceAttributes'];
  if (isObject(resource) === isObject(path)) {
    const why = isObject(path)
      ? 'cannot be specified in combination with resourceAttributes'
      : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    const field = isObject(path) ? 'spec.nonResourceAttributes' : 'spec.resourceAttributes';
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
      invalidField(field, isObject(path) ? path : null, why),
    ]);
  }
  const user = self ? asked.call.user : subjectOf(spec);
  const { allowed, reason } = gate.authorize(
    user,
    isObject(resource) ? resourceAttributes(resource) : pathAttributes(isObject(path) ? path : {}),
  );
  return { code: 201, object: { ...review, kind, status: { allowed, ...(reason === '' ? {} : { reason }) } } };
}

function subjectOf(spec: JsonObject): User {
  const name = text(spec, 'user');
  const groups = texts(spec['groups']);
  if (name === '' && groups.length === 0)
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
      invalidField('spec.user', '', 'at least one of user or group must be specified'),
    ]);
  return { name, groups };
}

function resourceAttributes(spec: JsonObject): AccessAttributes {
  return {
    verb: text(spec, 'verb'),
    group: text(spec, 'group'),
    version: text(spec, 'version'),
    resource: text(spec, 'resource'),
    subresource: text(spec, 'subresource'),
    namespace: text(spec, 'namespace'),
    name: text(spec, 'name'),
  };
}

function pathAttributes(spec: JsonObject): AccessAttributes {
  return {
    verb: text(spec, 'verb'),
    path: text(spec, 'path'),
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
}

async function rulesReview(gate: AccessControl, asked: SpecialCall): Promise<SpecialResponse> {
  const { review, spec } = await reviewBody(asked);
  const namespace = text(spec, 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const { user } = asked.call;
  const everything: PolicyRule[] = user.groups.includes('system:masters')
    ? [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
        { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
      ]
    : [];
  const rules = [...everything, ...[...grants(gate.rbac, user, namespace)].flatMap((grant) => grant.rules)];
  const resourceRules = rules
    .filter(({ resources }) => resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      apiGroups: [...apiGroups],
      resources: [...resources],
      ...(resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
    }));
  const nonResourceRules = rules
    .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }));
  return {
    code: 201,
    object: {
      ...review,
      kind: 'SelfSubjectRulesReview',
      spec: {},
      status: { resourceRules, nonResourceRules, incomplete: false },
    },
  };
}

async function subjectReview(asked: SpecialCall): Promise<SpecialResponse> {
  const { review } = await reviewBody(asked);
  const metadata = { ...review.metadata, creationTimestamp: timestamp(asked.context.clock.now()) };
  return {
    code: 201,
    object: { ...review, kind: 'SelfSubjectReview', metadata, status: { userInfo: userInfo(asked.call.user) } },
  };
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const extras = Object.fromEntries(Object.entries(extra ?? {}).map(([key, values]) => [key, [...values]]));
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: extras }),
  };
}

async function tokenReview(gate: AccessControl, asked: SpecialCall): Promise<SpecialResponse> {
  const { review, spec } = await reviewBody(asked);
  const token = text(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const audiences = texts(spec['audiences']);
  const found = gate.tokens.check(token, audiences.length === 0 ? [ISSUER] : audiences);
  const status = found
    ? { authenticated: true, user: userInfo(found.user), audiences: found.audiences }
    : { user: {}, error: 'invalid bearer token' };
  return { code: 201, object: { ...review, kind: 'TokenReview', status } };
}

const MIN_EXPIRATION_SECONDS = 600;
const MAX_EXPIRATION_SECONDS = 2 ** 32;

/** POST serviceaccounts/NAME/token. */
async function tokenRequest(gate: AccessControl, asked: SpecialCall): Promise<SpecialResponse> {
  const { call, context } = asked;
  const { review, spec } = await reviewBody({ ...asked, call });
  const stored = context.store.head(keyFor(call.type, call.namespace, call.name));
  if (!stored) throw notFound({ group: '', resource: 'serviceaccounts' }, call.name);
  const account = fromStored(call.type, stored);
  const seconds = Number(spec['expirationSeconds'] ?? 3600);
  checkExpiration(seconds);
  const pod = boundPod(asked, spec['boundObjectRef']);
  const audiences = texts(spec['audiences']);
  const bound = audiences.length === 0 ? [ISSUER] : audiences;
  const { token, expires } = gate.tokens.issue(
    {
      namespace: call.namespace,
      name: call.name,
      uid: account.metadata.uid ?? '',
      audiences: bound,
      ...(pod === undefined ? {} : { pod }),
    },
    seconds,
  );
  const now = context.clock.now();
  const metadata: KubeObject['metadata'] = {
    name: call.name,
    namespace: call.namespace,
    uid: context.newUid(),
    creationTimestamp: timestamp(now),
  };
  const schema = builtinSchema('authentication.k8s.io', 'v1', 'TokenRequest');
  const owned =
    schema &&
    trackUpdate({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      schema,
      subresource: 'token',
      live: undefined,
      next: { ...review, apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {} },
      manager: call.fieldManager,
      now,
    });
  if (owned) metadata.managedFields = owned;
  return {
    code: 201,
    object: {
      ...review,
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata,
      spec: { ...spec, audiences: bound, expirationSeconds: seconds, boundObjectRef: spec['boundObjectRef'] ?? null },
      status: { token, expirationTimestamp: timestamp(expires) },
    },
  };
}

/** A token may be bound to an object, which must exist; one that is bound to a pod ends with it. */
function boundPod(
  { context, call }: SpecialCall,
  reference: Json | undefined,
): { readonly name: string; readonly uid: string } | undefined {
  if (!isObject(reference)) return undefined;
  const plural = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }[text(reference, 'kind')];
  const type = plural === undefined ? undefined : context.types.preferred('', plural);
  if (!type) throw badRequest(`cannot bind token to object of type ${text(reference, 'kind')}`);
  const name = text(reference, 'name');
  const stored = context.store.head(keyFor(type, type.namespaced ? call.namespace : '', name));
  if (!stored) throw notFound({ group: '', resource: type.plural }, name);
  return plural === 'pods' ? { name, uid: fromStored(type, stored).metadata.uid ?? '' } : undefined;
}

function checkExpiration(seconds: number): void {
  const wrong = (why: string): void => {
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
      invalidField('spec.expirationSeconds', seconds, why),
    ]);
  };
  if (seconds < MIN_EXPIRATION_SECONDS) wrong('may not specify a duration less than 10 minutes');
  if (seconds > MAX_EXPIRATION_SECONDS) wrong('may not specify a duration larger than 2^32 seconds');
}

function text(object: JsonObject, field: string): string {
  const value = own(object, field);
  return typeof value === 'string' ? value : '';
}

function texts(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
