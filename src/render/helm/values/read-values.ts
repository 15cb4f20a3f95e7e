import { Fault } from '../../../model/faults/index.js';
import { readOneYaml, type ReadYamlOptions } from '../../../model/yaml/index.js';
import type { Json } from '../../../model/json/index.js';
import { yamlErrorText } from '../functions/serialization/yaml-error-text.js';
import { typeName, type GoObject } from '../template/value/go-value.js';
import { asFloats, isTable, overlay } from './table.js';

/** A piece of a text between two lines `---`. */
export interface ValuesPart {
  readonly text: string;
  /** How many lines stand before it. */
  readonly offset: number;
}

/** Cuts a values file as Helm does. Each document counts, the later over the earlier. */
export function valuesParts(text: string): ValuesPart[] {
  if (!text.includes('\n---') && !text.startsWith('---')) return text === '' ? [] : [{ text, offset: 0 }];
  const lines = text.split('\n');
  const parts: ValuesPart[] = [];
  let start = 0;
  const close = (end: number): void => {
    const part = lines.slice(start, end).join('\n');
    if (end > start && part !== '') parts.push({ text: `${part}\n`, offset: start });
    start = end + 1;
  };
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('---')) continue;
    const rest = line.slice(3).trim();
    if (rest !== '' && !rest.startsWith('#')) {
      throw new Fault('VALUES_INVALID', `error reading yaml document: invalid Yaml document separator: ${rest}`, {
        where: String(index + 1),
      });
    }
    // Before anything else the line is part of the first document.
    if (index > start) close(index);
  }
  close(lines.length);
  return parts;
}

/** The values that a file sets. Faults carry Helm's words. */
export function readValues(text: string, file: string): GoObject {
  let values: GoObject = {};
  for (const part of valuesParts(text)) values = overlay(values, readPart(part, file));
  return values;
}

export function readPart({ text, offset }: ValuesPart, file: string, options: Partial<ReadYamlOptions> = {}): GoObject {
  const value = asFloats(parse(text, offset, file, options));
  if (value === null) return {};
  if (isTable(value)) return value;
  const kind = { string: 'string', boolean: 'bool', number: 'number', object: 'array' }[
    typeName(value) === 'float64' ? 'number' : (typeof value as 'string' | 'boolean' | 'object')
  ];
  throw new Fault(
    'VALUES_INVALID',
    'cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ' +
      `${kind} into Go value of type map[string]interface {}`,
    { where: file },
  );
}

function parse(text: string, offset: number, file: string, options: Partial<ReadYamlOptions>): Json {
  try {
    return readOneYaml(text, { ...options, dialect: 'kubernetes' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const [line = '1', column = '1'] = error.where.split(':');
    const at = `${Number(line) + offset}:${column}`;
    throw new Fault(
      'VALUES_INVALID',
      `cannot unmarshal yaml document: error converting YAML to JSON: ${yamlErrorText(error, text)}`,
      { where: `${file}:${at}`, cause: error },
    );
  }
}
