import { StringDecoder } from 'node:string_decoder';
import type { SnapshotBuilder } from './snapshot-builder.js';
import type { DumpReader } from './read-dump.js';

const NAME = /^[a-zA-Z_:][\w:]*/;
const MAX_LINE = 8_000;
/** Times of OpenMetrics are seconds, those of the older format milliseconds. */
const LEAST_MILLISECONDS = 1e11;

/** Whether a text is a scrape: of `/metrics`, of `promtool tsdb dump-openmetrics`. */
export function isScrape(start: string): boolean {
  const [first = ''] = start.trimStart().split('\n', 1);
  const isSample = first.includes('{') && first.includes('="') && partsOf(first.trim()) !== undefined;
  return isSample || /^# (?:HELP|TYPE|UNIT) [a-zA-Z_:]/.test(first);
}

/** A scrape need not say when it was. */
const NO_TIME = 0;

/** Reads OpenMetrics and the text format of Prometheus. */
export function seriesTextReader(builder: SnapshotBuilder): DumpReader {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) readLine(line, builder);
  };
  return {
    push: (chunk) => take(decoder.write(chunk)),
    end: () => take(`${decoder.end()}\n`),
  };
}

interface Parts {
  readonly name: string;
  readonly labels: string;
  readonly value: string;
  readonly time: string | undefined;
}

/** `name{label="value"} 1.5 1763294400000`, perhaps with an exemplar behind it. */
function partsOf(line: string): Parts | undefined {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return undefined;
  const [told = ''] = line.slice(name.length).split(' # {');
  const end = told.startsWith('{') ? told.lastIndexOf('} ') : -1;
  if (end < 0 && !told.startsWith(' ')) return undefined;
  const [value = '', time] = told
    .slice(end + 1)
    .split(' ')
    .filter((word) => word !== '');
  if (value === '' || Number.isNaN(Number(value))) return undefined;
  return { name, labels: told.slice(1, Math.max(1, end)), value, time };
}

function readLine(line: string, builder: SnapshotBuilder): void {
  if (line.startsWith('#') || line.length > MAX_LINE) return;
  const parts = partsOf(line.trim());
  if (parts === undefined) return;
  const told = Number(parts.time);
  const at = parts.time === undefined ? NO_TIME : Math.round(told > LEAST_MILLISECONDS ? told : told * 1000);
  builder.addSeries(parts.name, labelsOf(parts.labels), [[at, Number(parts.value)]]);
}

function labelsOf(text: string): Record<string, string> {
  const labels: [string, string][] = [];
  for (let from = 0; ; ) {
    const equals = text.indexOf('="', from);
    if (equals < 0) return Object.fromEntries(labels);
    let value = '';
    let at = equals + 2;
    for (; at < text.length && text[at] !== '"'; at++) {
      const escaped = text[at] === '\\' ? text[++at] : undefined;
      value += escaped === 'n' ? '\n' : (escaped ?? text[at] ?? '');
    }
    labels.push([(text.slice(from, equals).split(',').at(-1) ?? '').trim(), value]);
    from = at + 1;
  }
}
