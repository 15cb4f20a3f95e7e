import { numberAt, textAt } from '../../../model/json/index.js';
import { seal, unseal } from './seal.js';

/** What outlives an ID token. The browser keeps it, sealed: a server has nothing to store, and any server goes on. */
export interface SsoSession {
  readonly issuer: string;
  readonly subject: string;
  /** Of this session, for the list of those that were ended. */
  readonly id: string;
  /** Empty where the provider gave none. */
  readonly refreshToken: string;
  readonly accessToken: string;
  /** Seconds since 1970, when somebody has to log in again. */
  readonly until: number;
}

const PURPOSE = 'sso session';

export function sealSession(session: SsoSession, secret: Buffer): Promise<string> {
  return seal(session, PURPOSE, secret);
}

export async function openSession(sealed: string, secret: Buffer): Promise<SsoSession | undefined> {
  const value = await unseal(sealed, PURPOSE, secret);
  if (value === undefined) return undefined;
  return {
    issuer: textAt(value, 'issuer'),
    subject: textAt(value, 'subject'),
    id: textAt(value, 'id'),
    refreshToken: textAt(value, 'refreshToken'),
    accessToken: textAt(value, 'accessToken'),
    until: numberAt(value, 'until') ?? 0,
  };
}
