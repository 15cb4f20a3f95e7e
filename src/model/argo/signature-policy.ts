import type { SignaturePolicy } from './app-project.js';
import { matchesGlob } from '../formats/index.js';

export type SignatureStatus =
  | 'good'
  | 'unsigned'
  /** The keyring does not have the key, so nothing can be said about the signature. */
  | 'unknown key'
  | 'expired key'
  | 'expired signature'
  | 'revoked key'
  /** The signature is not of this content, or cannot be read. */
  | 'bad'
  /** Signed, in a way that is not verified: SSH or X.509. */
  | 'unsupported';

/** What the signature of one commit or annotated tag is worth. */
export interface RevisionSignature {
  readonly kind: 'commit' | 'tag';
  /** The id of a commit, or the name of a tag. */
  readonly revision: string;
  readonly verdict: SignatureStatus;
  /** Sixteen hexadecimal digits in capitals; empty where the signature names none. */
  readonly keyId: string;
  /** Of the key that a subkey belongs to; the same as `keyId` for others. */
  readonly primaryKeyId: string;
  /** The user id of the key, where it is known. */
  readonly signer: string;
  /** Who wrote the commit or tag, by its own words. */
  readonly author: string;
  /** More than the verdict says; may be empty. */
  readonly detail: string;
}

/** What a project asks of a repository: nothing, signatures, or something that contradicts itself. */
export type SignatureRequirement =
  | { readonly kind: 'none' }
  | { readonly kind: 'signed'; readonly mode: 'head' | 'strict'; readonly keys: readonly string[] }
  | { readonly kind: 'conflict'; readonly message: string };

const MAX_VIOLATIONS = 10;

const WORDS: Readonly<Record<Exclude<SignatureStatus, 'good'>, string>> = {
  unsigned: 'unsigned',
  'unknown key': 'signed with key not in keyring',
  'expired key': 'signed with expired key',
  'expired signature': 'expired signature',
  'revoked key': 'signed with revoked key',
  bad: 'bad signature',
  unsupported: 'signed in a way that is not verified',
};

/**
 * Two policies for one repository are a mistake that must not switch verification off: nothing passes until it is put
 * right.
 */
export function signatureRequirement(policies: readonly SignaturePolicy[], repoURL: string): SignatureRequirement {
  const fitting = policies.filter(({ repositories }) => isAbout(repositories, repoURL));
  const [policy] = fitting;
  if (policy === undefined) return { kind: 'none' };
  if (fitting.length > 1)
    return {
      kind: 'conflict',
      message:
        `multiple (${fitting.length}) git source integrity policies found for repo URL: ${repoURL}; leave one ` +
        'of them in the AppProject',
    };
  return policy.mode === 'none' ? { kind: 'none' } : { kind: 'signed', mode: policy.mode, keys: policy.keys };
}

function isAbout(patterns: readonly string[], url: string): boolean {
  if (patterns.some((pattern) => pattern.startsWith('!') && matchesGlob(pattern.slice(1), url))) return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && matchesGlob(pattern, url));
}

/**
 * Why these revisions may not be delivered, naming each; undefined where they may. No signature at all is none that is
 * good.
 */
export function findSignatureViolation(
  keys: readonly string[],
  signatures: readonly RevisionSignature[],
): string | undefined {
  if (signatures.length === 0) return 'GIT/GPG: no revision was verified';
  const allowed = new Set(keys.flatMap((key) => keyIdOf(key) ?? []));
  const problems: string[] = [];
  const named = new Set<string>();
  for (const signature of signatures) {
    const problem = violationOf(signature, allowed);
    if (problem === undefined) continue;
    // One key explains all of its commits; who wrote unsigned ones differs.
    if (signature.kind === 'commit' && signature.keyId !== '') {
      if (named.has(signature.keyId)) continue;
      named.add(signature.keyId);
    }
    problems.push(`GIT/GPG: Failed verifying revision ${signature.revision} by '${signature.author}': ${problem}`);
    if (problems.length === MAX_VIOLATIONS) break;
  }
  if (problems.length === 0) return undefined;
  const unusable = keys.filter((key) => keyIdOf(key) === undefined);
  const remark =
    unusable.length === 0
      ? []
      : [
          `of the keys in the AppProject ${unusable.map((key) => JSON.stringify(key)).join(', ')} is no key ` +
            'id: write 16 or 40 hexadecimal digits',
        ];
  return [...problems, ...remark].join('; ');
}

function violationOf(
  { verdict, keyId, primaryKeyId, detail }: RevisionSignature,
  allowed: ReadonlySet<string>,
): string | undefined {
  if (verdict !== 'good') return `${WORDS[verdict]}${detail === '' ? '' : ` (${detail})`} (key_id=${keyId})`;
  return allowed.has(keyId) || allowed.has(primaryKeyId) ? undefined : `signed with unallowed key (key_id=${keyId})`;
}

/** The id inside a fingerprint, or the id itself; undefined for anything else. */
function keyIdOf(text: string): string | undefined {
  return /^(?:[0-9a-f]{24})?[0-9a-f]{16}$/i.test(text) ? text.slice(-16).toUpperCase() : undefined;
}
