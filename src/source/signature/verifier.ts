import { Fault } from '../../model/faults/index.js';
import type { RevisionSignature } from '../../model/argo/index.js';
import { Allowance, type SourceDependencies } from '../common/index.js';
import type { GitObject } from '../git/index.js';
import { Keyring, keysFingerprint, type SigningKeys } from './keyring.js';
import { readCommit, readTag, type SignedObject } from './signed-object.js';

/** Where objects are read; undefined for each that is not there. */
export interface ObjectSource {
  readonly where: string;
  read(ids: readonly string[], allowance: Allowance): Promise<(GitObject | undefined)[]>;
}

/** What is to be delivered: a commit, and the annotated tag that led to it where there is one. */
export interface Candidate {
  readonly commit: string;
  /** The full name and the object of the tag. */
  readonly tag?: { readonly ref: string; readonly id: string };
}

const MAX_OBJECT_BYTES = 4 * 1024 * 1024;
const MAX_COMMITS = 50_000;
const MAX_REMEMBERED = 20_000;
/** An expired or revoked key turns a good signature bad, so no verdict is kept for long. */
const REMEMBERED_MILLISECONDS = 60_000;
const STEP = 500;

interface OpenRing {
  readonly fingerprint: string;
  readonly ring: Promise<Keyring>;
  users: number;
}

/** A ring that never opened leaves nothing behind. */
async function retire({ ring }: OpenRing): Promise<void> {
  const [opened] = await Promise.allSettled([ring]);
  if (opened.status === 'fulfilled') await opened.value.close();
}

/** Verifies signatures of commits and tags with the keys given. One keyring at a time: keys change seldom. */
export class SignatureVerifier {
  readonly #dependencies: SourceDependencies;
  readonly #folder: string;
  #ring: OpenRing | undefined;
  readonly #remembered = new Map<string, { readonly at: number; readonly signature: RevisionSignature }>();

  constructor(world: SourceDependencies, folder: string) {
    this.#dependencies = world;
    this.#folder = folder;
  }

  /**
   * `head`: the tag, else the commit. `strict`: the tag and the commit with all that led to it, back to good commits
   * with the trailer `Argocd-gpg-seal`, what lies before those is approved by them.
   */
  async verify(
    source: ObjectSource,
    candidate: Candidate,
    keys: SigningKeys,
    mode: 'head' | 'strict',
  ): Promise<RevisionSignature[]> {
    const open = this.#open(keys);
    open.users += 1;
    try {
      return await this.#verifyWith(await open.ring, source, candidate, mode);
    } finally {
      open.users -= 1;
      if (open.users === 0 && this.#ring !== open) await retire(open);
    }
  }

  async #verifyWith(
    ring: Keyring,
    source: ObjectSource,
    candidate: Candidate,
    mode: 'head' | 'strict',
  ): Promise<RevisionSignature[]> {
    const tagged = candidate.tag === undefined ? [] : [await this.#tag(source, candidate.tag, candidate.commit, ring)];
    if (mode === 'head')
      return tagged.length > 0
        ? tagged
        : [await this.#commit(candidate.commit, await oneCommit(source, candidate.commit), ring)];
    return [...tagged, ...(await this.#history(source, candidate.commit, ring))];
  }

  async close(): Promise<void> {
    const open = this.#ring;
    this.#ring = undefined;
    this.#remembered.clear();
    if (open !== undefined) await retire(open);
  }

  #open(keys: SigningKeys): OpenRing {
    const fingerprint = keysFingerprint(keys);
    if (this.#ring?.fingerprint === fingerprint) return this.#ring;
    // Whoever verifies with the old one finishes first.
    const old = this.#ring;
    if (old?.users === 0) void retire(old);
    const open: OpenRing = { fingerprint, ring: Keyring.open(this.#dependencies, this.#folder, keys), users: 0 };
    open.ring.catch(() => {
      if (this.#ring === open) this.#ring = undefined;
    });
    this.#ring = open;
    return open;
  }

  async #tag(
    source: ObjectSource,
    { ref, id }: NonNullable<Candidate['tag']>,
    commit: string,
    ring: Keyring,
  ): Promise<RevisionSignature> {
    const [object] = await source.read([id], new Allowance(MAX_OBJECT_BYTES));
    if (object?.kind !== 'tag' || object.bytes === undefined) throw unreadable(id, source.where);
    const tag = readTag(object.bytes, ref);
    if ((await peeled(source, id)) !== commit)
      throw new Fault('REVISION_UNKNOWN', `${ref} moved while it was verified`, { where: source.where });
    return this.#verifyObject(id, ref.replace(/^refs\/tags\//, ''), tag, ring);
  }

  #commit(id: string, commit: SignedObject, ring: Keyring): Promise<RevisionSignature> {
    return this.#verifyObject(id, id, commit, ring);
  }

  async #verifyObject(id: string, revision: string, object: SignedObject, ring: Keyring): Promise<RevisionSignature> {
    const key = `${ring.fingerprint} ${id} ${revision}`;
    const now = this.#dependencies.clock.steady();
    const known = this.#remembered.get(key);
    if (known !== undefined && now - known.at < REMEMBERED_MILLISECONDS) return known.signature;
    const signature = { kind: object.kind, revision, author: object.author, ...(await verifySignature(object, ring)) };
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(key, { at: now, signature });
    return signature;
  }

  async #history(source: ObjectSource, head: string, ring: Keyring): Promise<RevisionSignature[]> {
    const commits = await allCommits(source, head);
    const judge = (id: string): Promise<RevisionSignature> =>
      this.#commit(id, commits.get(id) ?? unknownCommit(id, source.where), ring);
    const seals: string[] = [];
    for (const [id, { isSeal }] of commits) if (isSeal && (await judge(id)).verdict === 'good') seals.push(id);
    const approved = ancestorsOf(seals, commits);
    const wanted = [...commits.keys()].filter((id) => !approved.has(id));
    const verified: RevisionSignature[] = [];
    for (let at = 0; at < wanted.length; at += STEP)
      verified.push(...(await Promise.all(wanted.slice(at, at + STEP).map(judge))));
    return verified;
  }
}

async function verifySignature(
  { signature, format, payload, oddity }: SignedObject,
  ring: Keyring,
): Promise<Pick<RevisionSignature, 'verdict' | 'keyId' | 'primaryKeyId' | 'signer' | 'detail'>> {
  const nothing = { keyId: '', primaryKeyId: '', signer: '' };
  if (signature === undefined) return { ...nothing, verdict: 'unsigned', detail: '' };
  if (format === 'ssh' || format === 'x509')
    return {
      ...nothing,
      verdict: 'unsupported',
      detail: `${format === 'ssh' ? 'an SSH key' : 'an X.509 certificate'}; use a GPG key`,
    };
  if (format === 'unknown') return { ...nothing, verdict: 'bad', detail: 'it is no signature' };
  const verdict = await ring.verify(payload, signature);
  return oddity === '' ? verdict : { ...verdict, verdict: 'bad', detail: oddity };
}

/** Every commit that led to a head, the head first. */
async function allCommits(source: ObjectSource, head: string): Promise<Map<string, SignedObject>> {
  const found = new Map<string, SignedObject>();
  for (let next = [head]; next.length > 0; ) {
    const now = next.splice(0, STEP).filter((id) => !found.has(id));
    const objects = await source.read(now, new Allowance(MAX_OBJECT_BYTES));
    for (const [index, id] of now.entries()) {
      const commit = parsed(objects[index], id, source.where);
      found.set(id, commit);
      next.push(...commit.parents.filter((parent) => !found.has(parent)));
    }
    next = [...new Set(next)];
    if (found.size > MAX_COMMITS)
      throw new Fault(
        'SOURCE_TOO_LARGE',
        `more than ${MAX_COMMITS} commits would have to be verified: approve them with a signed commit ` +
          'that has the trailer Argocd-gpg-seal',
        { where: source.where },
      );
  }
  return found;
}

function ancestorsOf(seals: readonly string[], commits: ReadonlyMap<string, SignedObject>): Set<string> {
  const found = new Set<string>();
  for (const next = seals.flatMap((id) => commits.get(id)?.parents ?? []); next.length > 0; ) {
    const id = next.pop() ?? '';
    if (found.has(id)) continue;
    found.add(id);
    next.push(...(commits.get(id)?.parents ?? []));
  }
  return found;
}

async function oneCommit(source: ObjectSource, id: string): Promise<SignedObject> {
  const [object] = await source.read([id], new Allowance(MAX_OBJECT_BYTES));
  return parsed(object, id, source.where);
}

function parsed(object: GitObject | undefined, id: string, where: string): SignedObject {
  if (object === undefined)
    throw new Fault(
      'REVISION_UNKNOWN',
      `the history is cut off before ${id}, so it cannot be verified: fetch the repository without depth`,
      { where },
    );
  if (object.kind !== 'commit' || object.bytes === undefined) throw unreadable(id, where);
  return readCommit(object.bytes);
}

function unknownCommit(id: string, where: string): never {
  throw unreadable(id, where);
}

function unreadable(id: string, where: string): Fault {
  return new Fault('SOURCE_INVALID', `${id} cannot be read, so its signature cannot be verified`, { where });
}

async function peeled(source: ObjectSource, id: string): Promise<string> {
  let at = id;
  for (let tags = 0; tags < 5; tags++) {
    const [object] = await source.read([at], new Allowance(MAX_OBJECT_BYTES));
    if (object?.kind !== 'tag' || object.bytes === undefined) return at;
    at = readTag(object.bytes, '').target;
    if (!/^[0-9a-f]{40}$/.test(at)) throw unreadable(id, source.where);
  }
  return at;
}
