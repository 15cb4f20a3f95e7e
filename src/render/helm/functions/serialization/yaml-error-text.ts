import type { Fault } from '../../../../model/faults/index.js';
import { isBroken } from '../text/broken-text.js';

/** Problems to which go-yaml adds no line. */
const PLACELESS =
  /^(?:control characters|document contains excessive|unknown anchor|invalid map key|map merge requires|!!binary)/;
/** Found by its parser, which counts lines from 0; the scanner counts from 1. */
const NOT_FOUND = /did not find expected (?:<|node content|'-' indicator|key$|',')/;
const WRONGLY_FOUND = /found (?:undefined tag handle|duplicate|incompatible)/;
const PARSER = new RegExp(`^(?:${NOT_FOUND.source}|${WRONGLY_FOUND.source})`);
const AT_END = /^found unexpected end of stream/;
/** What our reader adds to the words of go-yaml. */
const ADDED = /(?: in a quoted scalar|: a tab; indent with spaces|: %YAML[^]*)$/;

/** A fault of our reader in the words of go-yaml. Both leave the line out where it is the first. */
export function yamlErrorText(fault: Fault, text: string): string {
  if (isBroken(text)) return 'yaml: invalid leading UTF-8 octet';
  const { message, where } = fault;
  if (message.startsWith('json: ') || message.startsWith('unsupported map key')) return message;
  if (PLACELESS.test(message)) return `yaml: ${message}`;
  const line = lineOf(message, where, text);
  return `yaml: ${line === 0 ? '' : `line ${line}: `}${message.replace(ADDED, '')}`;
}

function lineOf(message: string, where: string, text: string): number {
  const lines = text.split('\n');
  const [, row = '1', column = '1'] = /(?<!\d)(\d+):(\d+)$/.exec(where) ?? [];
  if (AT_END.test(message)) return lines.length === 1 ? 0 : lines.length;
  const index = Number(row) - 1;
  if (!PARSER.test(message)) return index === 0 ? 0 : index + 1;
  // The end of the text counts as a line of its own, unless the text ends with a newline.
  const isEnd = index === lines.length - 1 && Number(column) > (lines.at(-1) ?? '').length;
  return isEnd && Number(column) > 1 ? index + 1 : index;
}
