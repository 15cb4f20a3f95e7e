import { describe, expect, it } from 'vitest';
import { readGpgStatus } from './gpg-status.js';

const FINGERPRINT = 'AAAAAAAAAAAAAAAAAAAAAAAA0123456789ABCDEF';
const GOOD = '[GNUPG:] GOODSIG 0123456789ABCDEF Ann <ann@example.org>';
const VALID =
  `[GNUPG:] VALIDSIG ${FINGERPRINT} 2026-01-01 1767225600 0 4 0 22 10 00 ` + 'BBBBBBBBBBBBBBBBBBBBBBBBFEDCBA9876543210';

describe('what gpg says', () => {
  it('is good only where it says so once and confirms it', () => {
    expect(readGpgStatus(`${GOOD}\n${VALID}\n`)).toEqual({
      verdict: 'good',
      keyId: '0123456789ABCDEF',
      primaryKeyId: 'FEDCBA9876543210',
      signer: 'Ann <ann@example.org>',
      detail: '',
    });
    expect(readGpgStatus(GOOD)).toMatchObject({ verdict: 'bad', detail: 'gpg does not confirm it' });
    expect(readGpgStatus(`${GOOD}\n${VALID}\n${GOOD}\n${VALID}`)).toMatchObject({
      verdict: 'bad',
      detail: 'there are several signatures in one',
    });
    expect(readGpgStatus(`${GOOD}\n${VALID}\n[GNUPG:] BADSIG 0123456789ABCDEF Ann`)).toMatchObject({ verdict: 'bad' });
    expect(readGpgStatus(`gpg: [GNUPG:] ${GOOD.slice(9)}\n${VALID}`)).toMatchObject({ verdict: 'bad' });
  });

  it.each([
    ['[GNUPG:] EXPSIG 0123456789ABCDEF Ann', 'expired signature'],
    ['[GNUPG:] EXPKEYSIG 0123456789ABCDEF Ann', 'expired key'],
    ['[GNUPG:] REVKEYSIG 0123456789ABCDEF Ann', 'revoked key'],
    ['[GNUPG:] BADSIG 0123456789ABCDEF Ann', 'bad'],
    ['[GNUPG:] ERRSIG 0123456789ABCDEF 22 10 00 1767225600 9 -\n[GNUPG:] NO_PUBKEY 0123456789ABCDEF', 'unknown key'],
    ['[GNUPG:] ERRSIG 0123456789ABCDEF 99 10 00 1767225600 4 -', 'bad'],
    ['[GNUPG:] NODATA 4', 'bad'],
    ['', 'bad'],
  ])('%j is %s', (text, verdict) => {
    expect(readGpgStatus(text).verdict).toBe(verdict);
  });

  it('may not carry control characters of a user id further', () => {
    expect(readGpgStatus('[GNUPG:] BADSIG 0123456789ABCDEF \u001b[31mAnn\u0007').signer).toBe('?[31mAnn?');
  });
});
