import { RE2JS } from 're2js';
import { ACTIONS, PROJECT_SCOPED, RESOURCES } from '../../../model/rbac/index.js';
import { ApiError, json } from '../../http/index.js';
import { route, type Input, type Route, fields, text, integer } from '../../route/index.js';
import {
  ACCOUNT,
  type Account,
  OUR_ISSUER,
  type Authenticator,
  isShortEnough,
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

/** Everybody has access to their own. */
const account = (action: 'get' | 'update') =>
  ({ kind: ACCOUNT, action, describe: ({ path }: Input) => ({ name: path['name'] ?? '' }) }) as const;

/** `/api/v1/account`: local accounts, their passwords and tokens, and what oneself may do. */
export function accountRoutes(authenticator: Authenticator, namespace: string): Route[] {
  const found = (name: string): Account => {
    const account = authenticator.accounts.get(name);
    if (account === undefined) throw new ApiError('NotFound', `account '${name}' does not exist`);
    return account;
  };
  return [
    route('GET', '/api/v1/account', {
      summary: 'List the local accounts that the caller may see.',
      tag: TAG,
      access: { each: ACCOUNT, action: 'get' },
      handle: ({ authoriser }) =>
        json({ items: authoriser.visible(ACCOUNT, [...authenticator.accounts.all.values()]).map(accountView) }),
    }),
    route('GET', '/api/v1/account/{name}', {
      summary: 'One local account.',
      tag: TAG,
      access: account('get'),
      handle: ({ object: { name } }) => json(accountView(found(name))),
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
      access: {
        kind: ACCOUNT,
        action: 'update',
        describe: ({ body }, subject) => ({ name: (body as { readonly name?: string }).name || subject.name }),
      },
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
        object: { name: target },
        body: { currentPassword = '', newPassword = '' },
      }) => {
        const isLocal = subject.issuer === OUR_ISSUER;
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
    ...tokenRoutes(authenticator, found),
  ];
}

function tokenRoutes(authenticator: Authenticator, found: (name: string) => Account): Route[] {
  return [
    route('POST', '/api/v1/account/{name}/token', {
      summary: 'Create a token of an account. It is returned only once.',
      tag: TAG,
      access: account('update'),
      bodyLimit: 16_384,
      body: fields({
        name: text(),
        id: text('', { maxLength: 256 }),
        expiresIn: integer('Seconds; 0 for ever.', { min: 0, max: 100 * 366 * 86_400 }),
      }),
      handle: async ({ object: { name }, body: { id = '', expiresIn = 0 } }) => {
        const known = found(name);
        if (!known.capabilities.includes('apiKey'))
          throw new ApiError('FailedPrecondition', `account '${name}' does not have apiKey capability`);
        const issued = authenticator.sessions.issue(`${name}:apiKey`, expiresIn, {
          id: id === '' ? randomUUID() : id,
          notBefore: known.passwordChangedAt,
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
      access: account('update'),
      handle: async ({ path: { id }, object: { name } }) => {
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
