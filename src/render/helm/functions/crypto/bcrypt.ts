import { encodeBase64, hashSync } from 'bcryptjs';

const COST = 10;

/** As golang.org/x/crypto/bcrypt writes it: version 2a, cost 10. `salt` has 16 bytes, the password at most 72. */
export function bcrypt(password: string, salt: Uint8Array): string {
  return hashSync(password, `$2a$${COST}$${encodeBase64([...salt], salt.length)}`);
}
