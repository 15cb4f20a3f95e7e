import { RE2JS } from 're2js';
import { ACTIONS, PROJECT_SCOPED, RESOURCES } from '../../../model/rbac/index.js';
import { ApiError, json } from '../../http/index.js';
import { route, type Route, fields, text, integer } from '../../route/index.js';
import {
  type Subject,
  type Account,
  OUR_ISSUER,
  type Authenticator,
  isShortEnough,
  permissionDenied,
  projectSubject,
  checkPassword,
  type PasswordAttempt,
} from '../../access/index.js';
import { randomUUID } from 'node:crypto';

const TAG = 'account';
/** What a password must be where argocd-cm does not say. */
const PASSWORD_PATTERN = '^.{8,32}$';
/** Seconds within which who came by a provider must have signed in to set a password. */
const MAX_SESSION_AGE_SECONDS = 300;

/** `/api/v1/account`: local accounts, their passwords and tokens, and what oneself may do. */
export function accountRoutes(authenticator: Authenticator, namespace: string): Route[] {
  const must = (subject: Subject, action: 'get' | 'update', name: string): void => {
    // Everybody has access to their own.
    if (subject.name === name && subject.issuer === OUR_ISSUER) return;
    if (!authenticator.enforce(subject, 'accounts', action, name))
      throw permissionDenied(subject, 'accounts', action, name);
  };
  const found = (name: string): Account => {
    const account = authenticator.accounts.get(name);
    if (account === undefined) throw new ApiError('NotFound', `account '${name}' does not exist`);
    return account;
  };
  return [
    route('GET', '/api/v1/account', {
      summary: 'List the local accounts that the caller may see.',
      tag: TAG,
      access: { resource: 'accounts', action: 'get', object: 'each' },
      handle: ({ subject, may }) =>
        json({
          items: [...authenticator.accounts.all.values()]
            .filter(
              ({ name }) => (subject.name === name && subject.issuer === OUR_ISSUER) || may('accounts', 'get', name),
            )
            .map(accountView),
        }),
    }),
    route('GET', '/api/v1/account/{name}', {
      summary: 'One local account.',
      tag: TAG,
      access: 'signed-in',
      handle: ({ path: { name }, subject }) => {
        must(subject, 'get', name);
        return json(accountView(found(name)));
      },
    }),
    route('GET', '/api/v1/account/can-i/{resource}/{action}/{subresource=**}', {
      summary: 'Whether the caller may do something: yes or no.',
      tag: TAG,
      access: 'signed-in',
      handle: ({ path, subject }) => {
        const { resource, action } = path;
        if (!ACTIONS.includes(action))
          throw new ApiError('InvalidArgument', `[${ACTIONS.join(' ')}] does not contain ${action.slice(0, 100)}`);
        const known = RESOURCES.find((each) => each === resource);
        if (known === undefined)
          throw new ApiError('InvalidArgument', `[${RESOURCES.join(' ')}] does not contain ${resource.slice(0, 100)}`);
        return json({
          value: authenticator.enforce(
            subject,
            known,
            action,
            normalizeObjectName(known, path['subresource'], namespace),
          )
            ? 'yes'
            : 'no',
        });
      },
    }),
    route('PUT', '/api/v1/account/password', {
      summary: 'Change a password: your own, or that of another account. Earlier sessions end.',
      tag: TAG,
      access: 'signed-in',
      bodyLimit: 16_384,
      body: fields({
        name: text(),
        currentPassword: text('', { maxLength: 1024 }),
        newPassword: text('', { maxLength: 1024 }),
      }),
      handle: async ({
        subject,
        services,
        remoteAddress,
        body: { name = '', currentPassword = '', newPassword = '' },
      }) => {
        const target = name === '' ? subject.name : name;
        const isLocal = subject.issuer === OUR_ISSUER;
        if ((target !== subject.name || !isLocal) && !authenticator.enforce(subject, 'accounts', 'update', target))
          throw permissionDenied(subject, 'accounts', 'update', target);
        if (projectSubject(target) !== undefined)
          throw new ApiError('InvalidArgument', `password can only be changed for local users, not user "${target}"`);
        if (isLocal)
          await confirmPassword(authenticator, { name: subject.name, password: currentPassword, remoteAddress });
        else if (services.clock.now().getTime() / 1000 - (subject.issuedAt ?? 0) > MAX_SESSION_AGE_SECONDS)
          throw new ApiError(
            'InvalidArgument',
            "SSO token is too old. Please use 'argosy login --sso' to get a new token",
          );
        found(target);
        checkNewPassword(newPassword, authenticator.settings.get('passwordPattern') || PASSWORD_PATTERN);
        await authenticator.accounts.setPassword(target, await authenticator.passwords.hash(newPassword));
        return json({});
      },
    }),
    ...tokenRoutes(authenticator, must, found),
  ];
}

function tokenRoutes(
  authenticator: Authenticator,
  must: (subject: Subject, action: 'update', name: string) => void,
  found: (name: string) => Account,
): Route[] {
  return [
    route('POST', '/api/v1/account/{name}/token', {
      summary: 'Create a token of an account. It is returned only once.',
      tag: TAG,
      access: 'signed-in',
      bodyLimit: 16_384,
      body: fields({
        name: text(),
        id: text('', { maxLength: 256 }),
        expiresIn: integer('Seconds; 0 for ever.', { min: 0, max: 100 * 366 * 86_400 }),
      }),
      handle: async ({ path: { name }, subject, body: { id = '', expiresIn = 0 } }) => {
        must(subject, 'update', name);
        const account = found(name);
        if (!account.capabilities.includes('apiKey'))
          throw new ApiError('FailedPrecondition', `account '${name}' does not have apiKey capability`);
        const issued = authenticator.sessions.issue(`${name}:apiKey`, expiresIn, {
          id: id === '' ? randomUUID() : id,
          notBefore: account.passwordChangedAt,
        });
        await authenticator.accounts.changeTokens(name, (tokens) => {
          if (tokens.some((token) => token.id === issued.id))
            throw new ApiError('AlreadyExists', `account already has token with id '${issued.id}'`);
          return [...tokens, { id: issued.id, issuedAt: issued.issuedAt, expiresAt: issued.expiresAt }];
        });
        return json({ token: issued.token });
      },
    }),
    route('DELETE', '/api/v1/account/{name}/token/{id}', {
      summary: 'Revoke a token.',
      tag: TAG,
      access: 'signed-in',
      handle: async ({ path: { name, id }, subject }) => {
        must(subject, 'update', name);
        found(name);
        await authenticator.accounts.changeTokens(name, (tokens) => {
          if (!tokens.some((token) => token.id === id))
            throw new ApiError('NotFound', `token with id '${id}' does not exist`);
          return tokens.filter((token) => token.id !== id);
        });
        return json({});
      },
    }),
  ];
}

/** Who changes a password shows the old one, so that a session that was left open is not enough. */
async function confirmPassword(authenticator: Authenticator, attempt: PasswordAttempt): Promise<void> {
  try {
    await checkPassword(authenticator, attempt);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'Unauthenticated')
      throw new ApiError('InvalidArgument', 'current password does not match');
    throw error;
  }
}

function checkNewPassword(password: string, pattern: string): void {
  let fits: boolean;
  try {
    fits = RE2JS.compile(pattern).test(password);
  } catch {
    throw new ApiError('FailedPrecondition', 'passwordPattern of argocd-cm is not a regular expression');
  }
  if (!fits) throw new ApiError('InvalidArgument', `new password does not match the following expression: ${pattern}`);
  if (!isShortEnough(password))
    throw new ApiError('InvalidArgument', 'new password is longer than 72 bytes, which is all that bcrypt reads');
}

/** `project/namespace/name` of the control plane's own namespace is `project/name`. */
function normalizeObjectName(resource: string, object: string, namespace: string): string {
  const [project = '', middle, name, more] = object.split('/');
  return PROJECT_SCOPED.has(resource) && name !== undefined && more === undefined && middle === namespace
    ? `${project}/${name}`
    : object;
}

/** As Argo CD's gateway shows it: what is false or empty is left out. */
function accountView({ name, isEnabled, capabilities, tokens }: Account): object {
  const listed = [...tokens]
    .sort((a, b) => b.issuedAt - a.issuedAt)
    .map(({ id, issuedAt, expiresAt }) => ({ id, issuedAt, ...(expiresAt === 0 ? {} : { expiresAt }) }));
  return {
    name,
    ...(isEnabled ? { enabled: true } : {}),
    ...(capabilities.length === 0 ? {} : { capabilities: [...capabilities] }),
    ...(listed.length === 0 ? {} : { tokens: listed }),
  };
}
