import { randomBytes } from 'node:crypto';
import { formatTime, instantOf } from '../../model/formats/index.js';
import { ADMIN, secretKeys } from './accounts/account.js';
import { ARGOCD_SECRET } from './accounts/account-store.js';
import type { Authenticator } from './authenticator.js';

/**
 * Puts into argocd-secret what is missing there: the key that sessions are signed with, and a password of admin. Gives
 * the password where it was made now; it is nowhere kept in the clear.
 */
export async function ensureAdminSecret(keeper: Authenticator, now: number): Promise<string | undefined> {
  const admin = secretKeys(ADMIN);
  const there = keeper.shelf.data(ARGOCD_SECRET);
  if (there.has(admin.password) && (there.get('server.secretkey') ?? '') !== '') return undefined;
  const password = randomBytes(15).toString('base64url');
  const hash = there.has(admin.password) ? '' : await keeper.passwords.hash(password);
  const made = { isNew: false };
  await keeper.shelf.change(ARGOCD_SECRET, (data) => {
    made.isNew = !data.has(admin.password) && hash !== '';
    return new Map([
      ...((data.get('server.secretkey') ?? '') === ''
        ? [['server.secretkey', randomBytes(32).toString('base64')] as const]
        : []),
      ...(made.isNew ? [[admin.password, hash] as const, [admin.changedAt, formatTime(instantOf(now))] as const] : []),
    ]);
  });
  keeper.accounts.invalidate();
  return made.isNew ? password : undefined;
}
