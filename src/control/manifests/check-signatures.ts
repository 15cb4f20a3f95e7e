import { signatureRequirement, findSignatureViolation, type SignaturePolicy } from '../../model/argo/index.js';
import type { SigningKeys, Sources } from '../../source/index.js';

export interface SignatureCheck {
  /** Of the project. */
  readonly policies: readonly SignaturePolicy[];
  readonly repoURL: string;
  readonly project: string;
  /** As the source writes it: a tag is judged by its own signature. */
  readonly targetRevision: string;
  readonly tagPrefix?: string;
  /** What is to be delivered. */
  readonly commit: string;
  /** The data of argocd-gpg-keys-cm. */
  readonly keys: SigningKeys;
}

/** Why a project does not let a commit be delivered, naming what failed; undefined where it does. */
export async function checkSignatures(
  sources: Pick<Sources, 'resolve' | 'verify'>,
  check: SignatureCheck,
): Promise<string | undefined> {
  const { policies, repoURL, project, targetRevision, tagPrefix, commit, keys } = check;
  const demand = signatureRequirement(policies, repoURL);
  if (demand.kind === 'none') return undefined;
  if (demand.kind === 'conflict') return demand.message;
  const repository = { url: repoURL, project };
  const named = await sources.resolve(repository, targetRevision, tagPrefix === undefined ? {} : { tagPrefix });
  // A sync may be pinned to another commit than the one that the revision means now.
  const resolved = named.commit === commit ? named : { commit, ref: '' };
  return findSignatureViolation(demand.keys, await sources.verify(repository, resolved, keys, demand.mode));
}
