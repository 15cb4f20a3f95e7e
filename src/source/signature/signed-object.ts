/** A commit or an annotated tag, parted into what was signed and the signature. */
export interface SignedObject {
  readonly kind: 'commit' | 'tag';
  /** Undefined where it is not signed. */
  readonly signature: Buffer | undefined;
  readonly format: 'gpg' | 'ssh' | 'x509' | 'unknown';
  readonly payload: Buffer;
  readonly author: string;
  readonly parents: readonly string[];
  /** Of a tag: the object that it names, and the name that it gives itself. */
  readonly target: string;
  readonly tagName: string;
  /** Carries the trailer that ends the verification of a history. */
  readonly isSeal: boolean;
  /** Why it cannot be trusted however it is signed; empty where nothing is odd. */
  readonly oddity: string;
}

const SIGNATURES = ['gpgsig', 'gpgsig-sha256'];
const BEGINNINGS: readonly (readonly [string, SignedObject['format']])[] = [
  ['-----BEGIN PGP SIGNATURE-----', 'gpg'],
  ['-----BEGIN PGP MESSAGE-----', 'gpg'],
  ['-----BEGIN SSH SIGNATURE-----', 'ssh'],
  ['-----BEGIN SIGNED MESSAGE-----', 'x509'],
];
const MAX_AUTHOR_LENGTH = 200;

// Bytes are read as latin1, so that each stays what it was: the signature is over bytes, not over text.

/** A header of a commit with its continuation lines, as written. */
interface Header {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

export function readCommit(bytes: Buffer): SignedObject {
  const { headers, message } = partCommit(bytes.toString('latin1'));
  const signed = headers.filter(({ name }) => name === 'gpgsig');
  const [first] = signed;
  const payload =
    headers
      .filter(({ name }) => !SIGNATURES.includes(name))
      .map(({ raw }) => raw)
      .join('') + message;
  return {
    kind: 'commit',
    signature: first === undefined ? undefined : Buffer.from(`${first.value}\n`, 'latin1'),
    format: formatOf(first?.value ?? ''),
    payload: Buffer.from(payload, 'latin1'),
    author: personOf(headers.find(({ name }) => name === 'author')?.value ?? ''),
    parents: headers
      .filter(({ name }) => name === 'parent')
      .map(({ value }) => value)
      .filter((value) => /^[0-9a-f]{40}$/.test(value)),
    target: '',
    tagName: '',
    isSeal: /^argocd-gpg-seal:/im.test(message),
    oddity: signed.length > 1 ? 'the commit carries several signatures' : '',
  };
}

function partCommit(text: string): { readonly headers: readonly Header[]; readonly message: string } {
  const headers: Header[] = [];
  let at = 0;
  while (at < text.length && text[at] !== '\n') {
    let end = endOfLine(text, at);
    while (text[end] === ' ') end = endOfLine(text, end);
    const raw = text.slice(at, end);
    const space = raw.indexOf(' ');
    headers.push({
      name: space < 0 ? raw.trimEnd() : raw.slice(0, space),
      value: raw
        .slice(space + 1)
        .replace(/\n$/, '')
        .replace(/\n /g, '\n'),
      raw,
    });
    at = end;
  }
  return { headers, message: text.slice(at) };
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found < 0 ? text.length : found + 1;
}

export function readTag(bytes: Buffer, ref: string): SignedObject {
  const text = bytes.toString('latin1');
  const start = lastSignature(text);
  const header = text.slice(0, text.includes('\n\n') ? text.indexOf('\n\n') : text.length);
  const field = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(header)?.[1] ?? '';
  const tagName = Buffer.from(field('tag'), 'latin1').toString('utf8');
  return {
    kind: 'tag',
    signature: start === undefined ? undefined : Buffer.from(text.slice(start), 'latin1'),
    format: formatOf(start === undefined ? '' : text.slice(start)),
    payload: Buffer.from(start === undefined ? text : text.slice(0, start), 'latin1'),
    author: personOf(field('tagger')),
    parents: [],
    target: field('object'),
    tagName,
    isSeal: false,
    // A signed tag under another name would let an old version pass for a new one.
    oddity: `refs/tags/${tagName}` === ref ? '' : `the tag object is called ${JSON.stringify(tagName)}`,
  };
}

/** Where the last block of a signature begins, as git finds it. */
function lastSignature(text: string): number | undefined {
  const starts = BEGINNINGS.flatMap(([beginning]) =>
    [...text.matchAll(new RegExp(`^${beginning}`, 'gm'))].map(({ index }) => index),
  );
  return starts.length === 0 ? undefined : Math.max(...starts);
}

function formatOf(signature: string): SignedObject['format'] {
  return BEGINNINGS.find(([beginning]) => signature.startsWith(beginning))?.[1] ?? 'unknown';
}

/** Name and address without the time. They are a stranger's words: one short line of printable text. */
function personOf(value: string): string {
  const person = Buffer.from(value.replace(/ \d+ [+-]\d{4}$/, ''), 'latin1').toString('utf8');
  return person.replace(/\p{C}/gu, '?').slice(0, MAX_AUTHOR_LENGTH);
}
