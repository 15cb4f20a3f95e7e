import { type Json, MAX_DEPTH } from '../json/index.js';
import { blockNode } from './block.js';
import { Composer } from './composer.js';
import { tagDirective } from './properties.js';
import { HANDLES, SPACE, TAB, type DuplicateKey, type KeyListener } from './reader.js';
import type { YamlDialect } from './resolve.js';

interface YamlLimits {
  /** Longest text, in UTF-16 units. */
  readonly length?: number;
  /** Most collections inside one another. */
  readonly depth?: number;
}

export interface ReadYamlOptions {
  readonly dialect: YamlDialect;
  /** Named in faults. */
  readonly file?: string;
  /** What a repeated key does. Go's default: the last wins in `kubernetes`, an error in `kyaml`. */
  readonly duplicates?: 'error' | 'last';
  /** Called for each repeated key that does not raise a fault. */
  readonly onDuplicate?: (duplicate: DuplicateKey) => void;
  /** Called for each key of each mapping, for readers that show where a value stands. */
  readonly onKey?: KeyListener;
  readonly limits?: YamlLimits;
}

export interface YamlDocument {
  readonly value: Json;
  /** Where its content starts, from 1. */
  readonly line: number;
}

const MAX_LENGTH = 64 * 1024 * 1024;

/** Every document of a text; one without content has the value null. */
export function readYaml(text: string, options: ReadYamlOptions): YamlDocument[] {
  const documents: YamlDocument[] = [];
  for (const document of documentsOf(text, options)) documents.push(document);
  return documents;
}

/** The first document, or null where there is none. As in Go, what follows it is not read. */
export function readOneYaml(text: string, options: ReadYamlOptions): Json {
  for (const document of documentsOf(text, options)) return document.value;
  return null;
}

function* documentsOf(text: string, options: ReadYamlOptions): Generator<YamlDocument> {
  const reader = open(text, options);
  for (let first = true; ; first = false) {
    const isExplicit = startDocument(reader, first);
    if (isExplicit === undefined) return;
    const broke = reader.skip(true) || !isExplicit;
    const at = reader.pos;
    const value = reader.atDocumentEnd() ? null : blockNode(reader, -1, broke);
    reader.skip(true);
    if (isDirective(reader)) checkDirectives(reader);
    yield { value: reader.finite(value, at), line: reader.lineOf(at) };
    // Only who asks for the next document learns that none can start here; Go reads the first one all the same.
    if (!reader.atDocumentEnd()) reader.fail('did not find expected <document start>');
  }
}

function open(text: string, options: ReadYamlOptions): Composer {
  const { dialect, file = '', limits = {}, onDuplicate, onKey } = options;
  const duplicates = options.duplicates ?? (dialect === 'kyaml' ? 'error' : 'last');
  const { length = MAX_LENGTH, depth = MAX_DEPTH } = limits;
  const settings = { dialect, file, duplicates, maxDepth: depth, onDuplicate, onKey };
  if (text.length > length) {
    new Composer('', settings).fail(`the text has ${text.length} characters; at most ${length} are read`, 0);
  }
  return new Composer(text, settings);
}

/**
 * Passes document ends, directives and `---`. True after `---`, false for a first document without it, undefined at the
 * end.
 */
function startDocument(reader: Composer, first: boolean): boolean | undefined {
  reader.skip(false);
  while (!first && reader.atMarker() && reader.text.charAt(reader.pos) === '.') {
    reader.pos += 3;
    reader.skip(true);
  }
  const hasDirectives = isDirective(reader);
  reader.startDocument(hasDirectives ? directives(reader) : HANDLES);
  if (reader.atMarker() && reader.text.charAt(reader.pos) === '-') {
    reader.pos += 3;
    return true;
  }
  if (!hasDirectives && reader.text.charCodeAt(reader.pos) === 0) return undefined;
  if (!first || hasDirectives) reader.fail('did not find expected <document start>');
  if (reader.atMarker()) reader.fail('did not find expected node content');
  return false;
}

function isDirective(reader: Composer): boolean {
  return reader.text.charAt(reader.pos) === '%' && reader.pos === reader.lineStart;
}

/**
 * The end of a document is known only once the next token is read, so a wrong directive there spoils the document
 * before it.
 */
function checkDirectives(reader: Composer): void {
  const { pos, lineStart } = reader;
  directives(reader);
  reader.pos = pos;
  reader.lineStart = lineStart;
}

function directives(reader: Composer): ReadonlyMap<string, string> {
  const handles = new Map<string, string>();
  let hasVersion = false;
  while (isDirective(reader)) {
    const at = reader.pos;
    const [, name = '', version] = /^%([\w-]*)(?:[ \t]+(\d+\.\d+))?/.exec(reader.text.slice(at, at + 100)) ?? [];
    reader.pos += name.length + 1;
    while (reader.text.charCodeAt(reader.pos) === SPACE || reader.text.charCodeAt(reader.pos) === TAB) reader.pos++;
    if (name === 'YAML') {
      if (hasVersion) reader.fail('found duplicate %YAML directive', at);
      if (version !== '1.1')
        reader.fail(`found incompatible YAML document: %YAML ${version ?? ''}; the Go libraries read 1.1 only`, at);
      hasVersion = true;
      reader.pos += version.length;
    } else if (name === 'TAG') {
      const { handle, prefix } = tagDirective(reader);
      if (handles.has(handle)) reader.fail('found duplicate %TAG directive', at);
      handles.set(handle, prefix);
    } else reader.fail('found unknown directive name', at);
    if (!reader.skip(true)) reader.fail('did not find expected comment or line break', at);
  }
  for (const [handle, prefix] of HANDLES) if (!handles.has(handle)) handles.set(handle, prefix);
  return handles;
}
