import { compareText } from '../../../model/go/index.js';
import { isArray, isObject, parseJson, type Json } from '../../../model/json/index.js';
import { parseTime, millisecondsOf } from '../../../model/formats/index.js';

export type Capability = 'login' | 'apiKey';

/** A token for programs; its text is nowhere kept. Times are seconds since 1970, and 0 means never. */
export interface AccountToken {
  readonly id: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Somebody who is known here and nowhere else. */
export interface Account {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly capabilities: readonly Capability[];
  /** As bcrypt writes it; empty where none was set, and then none fits. */
  readonly passwordHash: string;
  /** Seconds since 1970; what was signed before counts no more. */
  readonly passwordChangedAt: number | undefined;
  readonly tokens: readonly AccountToken[];
}

export const ADMIN = 'admin';

type Data = ReadonlyMap<string, string>;

/** The keys of argocd-secret that an account has. */
export function secretKeys(name: string): {
  readonly password: string;
  readonly changedAt: string;
  readonly tokens: string;
} {
  const stem = name === ADMIN ? 'admin' : `accounts.${name}`;
  return { password: `${stem}.password`, changedAt: `${stem}.passwordMtime`, tokens: `${stem}.tokens` };
}

/**
 * The accounts that argocd-cm names, and `admin` whom nobody need name. What cannot be read gives no rights: such an
 * account is disabled.
 */
export function readAccounts(
  settings: Data,
  secrets: Data,
  isAdminEnabledByDefault: boolean,
): ReadonlyMap<string, Account> {
  const names = new Set([
    ADMIN,
    ...[...settings.keys()].flatMap((key) => /^accounts\.([^.]+)(?:\.[^.]+)?$/.exec(key)?.[1] ?? []),
  ]);
  return new Map(
    [...names].sort(compareText).map((name) => {
      const isEnabledByDefault = name !== ADMIN || isAdminEnabledByDefault;
      return [name, readAccount(name, settings, secrets, isEnabledByDefault)] as const;
    }),
  );
}

function readAccount(name: string, settings: Data, secrets: Data, isEnabledByDefault: boolean): Account {
  const keys = secretKeys(name);
  const changedAt = readTime(secrets.get(keys.changedAt));
  const tokens = readTokens(secrets.get(keys.tokens));
  const isEnabled = readFlag(
    settings.get(`accounts.${name}.enabled`) ??
      (name === ADMIN ? settings.get('admin.enabled') : undefined) ??
      String(isEnabledByDefault),
  );
  return {
    name,
    isEnabled: isEnabled && changedAt !== 'unreadable',
    capabilities: [
      ...new Set([
        ...(name === ADMIN ? ['login' as const] : []),
        ...readCapabilities(settings.get(`accounts.${name}`) ?? ''),
      ]),
    ],
    passwordHash: secrets.get(keys.password) ?? '',
    passwordChangedAt: changedAt === 'unreadable' ? undefined : changedAt,
    tokens,
  };
}

function readCapabilities(text: string): Capability[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each === 'login' || each === 'apiKey');
}

/** As Go reads booleans. Something else is nobody's yes: false. */
function readFlag(text: string): boolean {
  return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text);
}

function readTime(text: string | undefined): number | undefined | 'unreadable' {
  if (text === undefined || text === '') return undefined;
  try {
    return Math.floor(millisecondsOf(parseTime(text)) / 1000);
  } catch {
    // The account stays disabled: it is unknown which sessions are still valid.
    return 'unreadable';
  }
}

function readTokens(text: string | undefined): AccountToken[] {
  let value: Json = null;
  try {
    value = parseJson(text === undefined || text === '' ? 'null' : text);
  } catch {
    // Tokens that nobody can read are tokens that nobody has.
  }
  return !isArray(value)
    ? []
    : value
        .filter(isObject)
        .flatMap(({ id, iat, exp }) =>
          typeof id === 'string' && typeof iat === 'number'
            ? [{ id, issuedAt: iat, expiresAt: typeof exp === 'number' ? exp : 0 }]
            : [],
        );
}

/** As argocd-secret keeps them. */
export function formatTokens(tokens: readonly AccountToken[]): string {
  return JSON.stringify(
    tokens.map(({ id, issuedAt, expiresAt }) => ({
      id,
      iat: issuedAt,
      ...(expiresAt === 0 ? {} : { exp: expiresAt }),
    })),
  );
}
