import { describe, expect, it } from 'vitest';
import type { SignaturePolicy } from './app-project.js';
import { signatureRequirement, findSignatureViolation, type RevisionSignature } from './signature-policy.js';

const KEY = '0123456789ABCDEF';
const COMMIT = 'c0ffee'.padEnd(40, '0');
const policy = (
  repositories: readonly string[],
  mode: SignaturePolicy['mode'] = 'head',
  keys: readonly string[] = [KEY],
): SignaturePolicy => ({ repositories, mode, keys });
const signature = (changes: Partial<RevisionSignature> = {}): RevisionSignature => ({
  kind: 'commit',
  revision: COMMIT,
  verdict: 'good',
  keyId: KEY,
  primaryKeyId: KEY,
  signer: 'Ann',
  author: 'Ann <ann@example.org>',
  detail: '',
  ...changes,
});

describe('what a project asks of a repository', () => {
  it.each<[string, readonly SignaturePolicy[], string, object]>([
    ['nothing without policies', [], 'https://github.com/a/b', { kind: 'none' }],
    ['nothing where none is about it', [policy(['https://gitlab.com/*'])], 'https://github.com/a/b', { kind: 'none' }],
    [
      'signatures where one is',
      [policy(['https://gitlab.com/*']), policy(['https://github.com/*'], 'strict')],
      'https://github.com/a/b',
      { kind: 'signed', mode: 'strict', keys: [KEY] },
    ],
    [
      'nothing where it is taken out, wherever that stands',
      [policy(['!https://github.com/a/*', 'https://github.com/*'])],
      'https://github.com/a/b',
      { kind: 'none' },
    ],
    ['nothing where the mode says so', [policy(['*'], 'none')], 'https://github.com/a/b', { kind: 'none' }],
    [
      'what nothing can satisfy where two are about it',
      [policy(['*']), policy(['https://*'], 'none')],
      'https://github.com/a/b',
      {
        kind: 'conflict',
        message:
          'multiple (2) git source integrity policies found for repo URL: https://github.com/a/b; leave one ' +
          'of them in the AppProject',
      },
    ],
  ])('%s', (_, policies, url, expected) => {
    expect(signatureRequirement(policies, url)).toEqual(expected);
  });
});

describe('an objection', () => {
  it('is not raised to good signatures of allowed keys, also by a subkey, whatever the case of the key', () => {
    expect(findSignatureViolation([KEY.toLowerCase()], [signature()])).toBeUndefined();
    expect(findSignatureViolation([`${'0'.repeat(24)}${KEY}`], [signature({ keyId: 'F'.repeat(16) })])).toBeUndefined();
  });

  it.each<[Partial<RevisionSignature>, string]>([
    [{ verdict: 'unsigned', keyId: '' }, 'unsigned (key_id=)'],
    [{ verdict: 'unknown key' }, `signed with key not in keyring (key_id=${KEY})`],
    [{ verdict: 'expired key' }, `signed with expired key (key_id=${KEY})`],
    [{ verdict: 'revoked key' }, `signed with revoked key (key_id=${KEY})`],
    [{ verdict: 'expired signature' }, `expired signature (key_id=${KEY})`],
    [{ verdict: 'bad', detail: 'it is no signature' }, `bad signature (it is no signature) (key_id=${KEY})`],
    [
      { verdict: 'unsupported', detail: 'an SSH key; use a GPG key', keyId: '' },
      'signed in a way that is not verified (an SSH key; use a GPG key) (key_id=)',
    ],
    [{ keyId: 'F'.repeat(16), primaryKeyId: 'E'.repeat(16) }, `signed with unallowed key (key_id=${'F'.repeat(16)})`],
  ])('to %o names the commit and who wrote it', (changes, words) => {
    expect(findSignatureViolation([KEY], [signature(changes)])).toBe(
      `GIT/GPG: Failed verifying revision ${COMMIT} by 'Ann <ann@example.org>': ${words}`,
    );
  });

  it('names a key once, every unsigned commit, and not more than ten', () => {
    const stranger = signature({ verdict: 'unknown key' });
    expect(findSignatureViolation([], [stranger, { ...stranger, revision: 'd'.repeat(40) }])?.split('; ')).toHaveLength(
      1,
    );
    expect(
      findSignatureViolation(
        [KEY],
        Array.from({ length: 30 }, (_, index) =>
          signature({ verdict: 'unsigned', keyId: '', revision: String(index) }),
        ),
      )?.split('; '),
    ).toHaveLength(10);
  });

  it('says which keys of the project are none', () => {
    expect(findSignatureViolation(['ABCD1234'], [signature()])).toContain(
      'of the keys in the AppProject "ABCD1234" is no key id: write 16 or 40 hexadecimal digits',
    );
  });

  it('is raised where nothing was verified at all', () => {
    expect(findSignatureViolation([KEY], [])).toBe('GIT/GPG: no revision was verified');
  });
});
