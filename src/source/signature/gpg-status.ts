import type { SignatureStatus } from '../../model/argo/index.js';

/** What gpg says about one signature. */
export interface GpgSignatureStatus {
  readonly verdict: SignatureStatus;
  readonly keyId: string;
  readonly primaryKeyId: string;
  readonly signer: string;
  readonly detail: string;
}

/** Words of gpg that decide; each excludes the others. */
const DECIDING: Readonly<Record<string, SignatureStatus>> = {
  GOODSIG: 'good',
  BADSIG: 'bad',
  EXPSIG: 'expired signature',
  EXPKEYSIG: 'expired key',
  REVKEYSIG: 'revoked key',
  ERRSIG: 'unknown key',
};
const MISSING_KEY = '9';
const MISSING_ALGORITHM = '4';

/**
 * Reads the lines of `--status-fd`. Good is only what says so exactly once, with the fingerprint of a valid signature;
 * what is unclear is bad.
 */
export function readGpgStatus(text: string): GpgSignatureStatus {
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('[GNUPG:] '))
    .map((line) => line.slice('[GNUPG:] '.length).split(' '));
  const decisions = lines.filter(([word = '']) => Object.hasOwn(DECIDING, word));
  const [decision] = decisions;
  const [word = '', keyId = '', ...rest] = decision ?? [];
  const valid = lines.filter(([each]) => each === 'VALIDSIG');
  const fingerprint = valid[0]?.[1] ?? '';
  const primary = valid[0]?.at(-1) ?? '';
  const facts = {
    keyId: shortId(fingerprint || keyId),
    primaryKeyId: shortId(primary || keyId),
    signer: word === 'ERRSIG' ? '' : signerOf(rest.join(' ')),
  };
  if (decision === undefined)
    return {
      ...facts,
      verdict: 'bad',
      detail: lines.some(([each]) => each === 'NODATA') ? 'it is no signature' : 'gpg says nothing about it',
    };
  if (decisions.length > 1) return { ...facts, verdict: 'bad', detail: 'there are several signatures in one' };
  if (word === 'ERRSIG') return { ...facts, ...unverified(rest[4] ?? '') };
  const verdict = DECIDING[word] ?? 'bad';
  if (verdict === 'good' && (valid.length !== 1 || !/^[0-9A-F]{40,64}$/.test(fingerprint)))
    return { ...facts, verdict: 'bad', detail: 'gpg does not confirm it' };
  return { ...facts, verdict, detail: '' };
}

function unverified(reason: string): Pick<GpgSignatureStatus, 'verdict' | 'detail'> {
  if (reason === MISSING_KEY) return { verdict: 'unknown key', detail: '' };
  return {
    verdict: 'bad',
    detail: reason === MISSING_ALGORITHM ? 'its algorithm is not known to gpg' : `gpg could not check it (${reason})`,
  };
}

function shortId(fingerprint: string): string {
  return /^[0-9A-F]{16,}$/i.test(fingerprint) ? fingerprint.slice(-16).toUpperCase() : '';
}

/** A user id is written by whoever made the key. */
function signerOf(text: string): string {
  return text.replace(/\p{C}/gu, '?').slice(0, 200);
}
