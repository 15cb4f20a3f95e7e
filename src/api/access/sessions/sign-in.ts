import { ApiError } from '../../http/index.js';
import type { AccountStore } from '../accounts/account-store.js';
import { PasswordsBusy, type Passwords } from '../passwords/passwords.js';
import type { Throttle } from './throttle.js';

/** Longer names are nobody's. */
const MAX_NAME_BYTES = 32;
const INVALID_CREDENTIALS = 'Invalid username or password';

export interface SignInContext {
  readonly accounts: AccountStore;
  readonly passwords: Passwords;
  readonly throttle: Throttle;
}

export interface PasswordAttempt {
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/**
 * Whether a password is that of an account that may log in; refuses otherwise. Always takes one comparison, whether
 * there is such an account or not, locked or not: neither the answer nor its time tells.
 */
export async function checkPassword(
  context: SignInContext,
  { name, password, remoteAddress }: PasswordAttempt,
): Promise<void> {
  if (password === '') throw new ApiError('Unauthenticated', 'Blank passwords are not allowed');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new ApiError('InvalidArgument', `Username is too long (${MAX_NAME_BYTES} bytes max)`);
  try {
    // Every name waits in the same way: what other names are answered meanwhile must not tell whether it exists.
    await context.throttle.runExclusive(name, remoteAddress, () => check(context, name, password));
  } catch (error) {
    if (error instanceof PasswordsBusy)
      throw new ApiError('ResourceExhausted', error.message, { headers: { 'retry-after': '1' }, cause: error });
    throw error;
  }
}

async function check({ accounts, passwords, throttle }: SignInContext, name: string, password: string): Promise<void> {
  const isLocked = throttle.isLocked(name);
  const account = accounts.get(name);
  const isRight = await passwords.matches(password, account?.passwordHash ?? '');
  if (isLocked || account === undefined) throw new ApiError('Unauthenticated', INVALID_CREDENTIALS);
  if (!isRight) {
    await throttle.failed(name);
    throw new ApiError('Unauthenticated', INVALID_CREDENTIALS);
  }
  if (!account.isEnabled) throw new ApiError('Unauthenticated', `Account ${name} is disabled`);
  if (!account.capabilities.includes('login'))
    throw new ApiError('Unauthenticated', `Account ${name} does not have login capability`);
  await throttle.succeeded(name);
}
