import { Fault } from '../../../model/faults/index.js';
import { parseJson, type Json } from '../../../model/json/index.js';
import type { GoObject, GoValue } from '../template/value/go-value.js';
import { JSON_READER } from './json-reader.js';
import { LITERAL_READER, ScalarReader, SetError, SetParser, typedValue, type ValueReader } from './set-parser.js';
import { asFloats, isTable, overlay } from './table.js';

/** One value of the command line: `--set`, `--set-string`, `--set-file`, `--set-json` or `--set-literal`. */
export interface SetValue {
  readonly kind: 'set' | 'set-string' | 'set-file' | 'set-json' | 'set-literal';
  readonly text: string;
}

/** The order in which Helm takes them, whatever their order on the command line. */
const ORDER: readonly SetValue['kind'][] = ['set-json', 'set', 'set-string', 'set-file', 'set-literal'];

export function inHelmOrder(sets: readonly SetValue[]): SetValue[] {
  return ORDER.flatMap((kind) => sets.filter((set) => set.kind === kind));
}

/** Applies one; `values` may change and is the result unless a whole JSON object is laid over it. */
export function applySet(values: GoObject, set: SetValue, readFile: (path: string) => GoValue): GoObject {
  if (set.kind === 'set-json' && set.text.trimStart().startsWith('{')) return overlay(values, wholeJson(set.text));
  try {
    new SetParser(set.text, readerOf(set.kind, readFile), set.kind === 'set-literal').parseInto(values);
  } catch (error) {
    if (!(error instanceof SetError)) throw error;
    const reason = set.kind === 'set-json' ? ` ${set.text}` : `: ${error.message}`;
    throw new Fault('VALUES_INVALID', `failed parsing --${set.kind} data${reason}`, { where: `--${set.kind}` });
  }
  return values;
}

function readerOf(kind: SetValue['kind'], readFile: (path: string) => GoValue): ValueReader {
  switch (kind) {
    case 'set':
      return new ScalarReader(typedValue);
    case 'set-string':
      return new ScalarReader((text) => text);
    case 'set-file':
      return new ScalarReader(readFile);
    case 'set-json':
      return JSON_READER;
    case 'set-literal':
      return LITERAL_READER;
    default:
      return kind satisfies never;
  }
}

function wholeJson(text: string): GoObject {
  let value: Json;
  try {
    value = asFloats(parseJson(text.trim()));
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault('VALUES_INVALID', `failed parsing --set-json data JSON: ${text}`, { where: '--set-json', cause });
  }
  return isTable(value) ? value : {};
}
