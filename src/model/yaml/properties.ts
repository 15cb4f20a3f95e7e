import { TAB, SPACE, isBlank, type Reader } from './reader.js';

/** The anchor and tag before a node. */
export interface Properties {
  readonly anchor?: string;
  /** In full, such as `tag:yaml.org,2002:str`. */
  readonly tag?: string;
  readonly start: number;
}

const NAME = /[0-9A-Za-z_-]*/y;
const HANDLE = /!(?:[0-9A-Za-z_-]*!)?/y;
const URI = /(?:[0-9A-Za-z_;/?:@&=+$,.!~*'()[\]-]|%[0-9A-Fa-f]{2})*/y;

function take(reader: Reader, form: RegExp): string {
  form.lastIndex = reader.pos;
  const text = form.exec(reader.text)?.[0] ?? '';
  reader.pos += text.length;
  return text;
}

export function atProperty(code: number): boolean {
  return code === 38 || code === 33;
}

/** `&anchor` and `!tag`, each at most once, in any order, on one line. */
export function readProperties(reader: Reader): Properties {
  const start = reader.pos;
  let anchor: string | undefined;
  let tag: string | undefined;
  for (;;) {
    const code = reader.text.charCodeAt(reader.pos);
    if (code === 38 && anchor === undefined) anchor = anchorName(reader);
    else if (code === 33 && tag === undefined) tag = readTag(reader);
    else break;
    const next = reader.pos;
    while (reader.text.charCodeAt(reader.pos) === SPACE || reader.text.charCodeAt(reader.pos) === TAB) reader.pos++;
    if (!atProperty(reader.text.charCodeAt(reader.pos))) {
      reader.pos = next;
      break;
    }
  }
  return { start, ...(anchor !== undefined && { anchor }), ...(tag !== undefined && { tag }) };
}

/** The name after `&` or `*`. */
export function anchorName(reader: Reader): string {
  const start = reader.pos++;
  const name = take(reader, NAME);
  const next = reader.text.charCodeAt(reader.pos);
  if (name === '' || !(isBlank(next) || '?:,]}%@`'.includes(String.fromCharCode(next)))) {
    reader.fail('did not find expected alphabetic or numeric character', start);
  }
  return name;
}

function readTag(reader: Reader): string {
  const start = reader.pos;
  const tag = reader.text.charAt(start + 1) === '<' ? verbatimTag(reader) : shortTag(reader);
  if (!isBlank(reader.text.charCodeAt(reader.pos)))
    reader.fail('did not find expected whitespace or line break after a tag', start);
  return tag;
}

function verbatimTag(reader: Reader): string {
  reader.pos += 2;
  const uri = decoded(reader, take(reader, URI));
  if (uri === '') reader.fail('did not find expected tag URI');
  if (reader.text.charAt(reader.pos) !== '>') reader.fail("did not find the expected '>'");
  reader.pos++;
  return uri;
}

function shortTag(reader: Reader): string {
  const start = reader.pos;
  const handle = take(reader, HANDLE);
  const suffix = decoded(reader, take(reader, URI));
  if (handle.length > 1 && suffix === '') reader.fail('did not find expected tag URI', start);
  if (handle === '!' && suffix === '') return '!';
  const prefix = reader.handles.get(handle);
  if (prefix === undefined) reader.fail(`found undefined tag handle ${handle}`, start);
  return prefix + suffix;
}

function decoded(reader: Reader, uri: string): string {
  try {
    return uri.includes('%') ? decodeURIComponent(uri) : uri;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return reader.fail('found an incorrect UTF-8 octet in a tag');
  }
}

/** What a `%TAG` directive says. */
export function tagDirective(reader: Reader): { handle: string; prefix: string } {
  const handle = take(reader, HANDLE);
  if (handle === '') reader.fail("did not find expected '!'");
  while (reader.text.charCodeAt(reader.pos) === SPACE || reader.text.charCodeAt(reader.pos) === TAB) reader.pos++;
  const prefix = decoded(reader, take(reader, URI));
  if (prefix === '') reader.fail('did not find expected tag URI');
  return { handle, prefix };
}
