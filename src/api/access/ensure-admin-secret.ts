import { randomBytes } from 'node:crypto';
import { formatTime, instantOf } from '../../model/formats/index.js';
import { ADMIN, secretKeys } from './accounts/account.js';
import { ARGOCD_SECRET } from './accounts/account-store.js';
import type { Authenticator } from './authenticator.js';
import type { InitialPassword } from './initial-password.js';

/**
 * Puts into argocd-secret what is missing there: the key that sessions are signed with, and a password of admin where
 * that account is enabled. Gives the password if this start made it and nothing keeps it: then it has to be shown.
 */
export async function ensureAdminSecret(
  authenticator: Authenticator,
  now: number,
  initial?: InitialPassword,
): Promise<string | undefined> {
  const admin = secretKeys(ADMIN);
  const there = authenticator.secrets.data(ARGOCD_SECRET);
  const hasPassword = there.has(admin.password) || authenticator.accounts.get(ADMIN)?.isEnabled !== true;
  if (hasPassword && (there.get('server.secretkey') ?? '') !== '') return undefined;
  const password = hasPassword ? undefined : await choosePassword(authenticator, initial);
  const hash = password === undefined ? '' : await authenticator.passwords.hash(password);
  const created = { isNew: false };
  await authenticator.secrets.change(ARGOCD_SECRET, (data) => {
    created.isNew = !data.has(admin.password) && hash !== '';
    return new Map([
      ...((data.get('server.secretkey') ?? '') === ''
        ? [['server.secretkey', randomBytes(32).toString('base64')] as const]
        : []),
      ...(created.isNew
        ? [[admin.password, hash] as const, [admin.changedAt, formatTime(instantOf(now))] as const]
        : []),
    ]);
  });
  if (password !== undefined) await initial?.settle();
  authenticator.accounts.invalidate();
  return created.isNew && initial === undefined ? password : undefined;
}

async function choosePassword(
  authenticator: Authenticator,
  initial: InitialPassword | undefined,
): Promise<string | undefined> {
  const password = randomBytes(15).toString('base64url');
  if (initial === undefined) return password;
  return initial.keep(password, async () =>
    (await authenticator.secrets.read(ARGOCD_SECRET)).has(secretKeys(ADMIN).password),
  );
}
