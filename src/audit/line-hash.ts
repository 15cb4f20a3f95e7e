import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault } from '../model/faults/index.js';
import { unusableFile } from './unusable-file.js';

/** Chains the lines of a log. */
export interface LineHash {
  /** Names the key without giving it away; empty without one. */
  readonly key: string;
  of(line: Uint8Array): string;
  /** Of bytes that come piece by piece. */
  begin(): { update(bytes: Uint8Array): void; digest(): string };
}

/** Before the first line. */
export const NO_LINE = '0'.repeat(64);
const MIN_KEY_BYTES = 16;

/** Whoever can write the log can also compute plain SHA-256. */
export function plainHash(): LineHash {
  return hashWith('', () => createHash('sha256'));
}

/** HMAC-SHA256: only who has the key can continue or rewrite the chain. */
export function keyedHash(secret: Uint8Array): LineHash {
  const key = createHmac('sha256', secret).update('argosy audit key').digest('hex').slice(0, 16);
  return hashWith(key, () => createHmac('sha256', secret));
}

function hashWith(
  key: string,
  create: () => { update(bytes: Uint8Array): unknown; digest(form: 'hex'): string },
): LineHash {
  const begin: LineHash['begin'] = () => {
    const hash = create();
    return {
      update: (bytes) => void hash.update(bytes),
      digest: () => hash.digest('hex'),
    };
  };
  return {
    key,
    begin,
    of: (line) => {
      const hash = begin();
      hash.update(line);
      return hash.digest();
    },
  };
}

/** The hash of `--audit-key FILE`; the plain one without a file. */
export async function readLineHash(keyFile: string | undefined): Promise<LineHash> {
  if (keyFile === undefined) return plainHash();
  const secret = await readFile(keyFile).catch((error: unknown) => {
    throw unusableFile('the audit key cannot be read', keyFile, '--audit-key', error);
  });
  const end = secret.at(-1) === 0x0a ? -1 : secret.length;
  const trimmed = secret.subarray(0, end);
  if (trimmed.length < MIN_KEY_BYTES)
    throw new Fault(
      'VALUE_INVALID',
      `the audit key has ${trimmed.length} bytes, at least ${MIN_KEY_BYTES} are needed`,
      {
        where: keyFile,
        hint: `create one with: openssl rand -hex 32 > ${keyFile}`,
      },
    );
  return keyedHash(trimmed);
}
