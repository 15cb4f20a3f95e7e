import { StringDecoder } from 'node:string_decoder';
import type { SnapshotBuilder } from './snapshot-builder.js';
import type { DumpReader } from './read-dump.js';

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+([-+]?[\d.]\S*|[-+]?Inf|NaN)(?:\s+(\d+(?:\.\d+)?))?(?:\s+#.*)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const MAX_LINE = 8_000;
/** Times of OpenMetrics are seconds, those of the older format milliseconds. */
const LEAST_MILLISECONDS = 1e11;

/** Whether a text is a scrape: of `/metrics`, of `promtool tsdb dump-openmetrics`. */
export function isScrape(start: string): boolean {
  const [first = ''] = start.trimStart().split('\n', 1);
  return /^# (?:HELP|TYPE|UNIT) [a-zA-Z_:]/.test(first) || (/^[a-zA-Z_:][\w:]*\{\w+="/.test(first) && LINE.test(first));
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

function readLine(line: string, builder: SnapshotBuilder): void {
  if (line.startsWith('#') || line.length > MAX_LINE) return;
  const [, name, labels = '', value = '', time] = LINE.exec(line.trim()) ?? [];
  if (name === undefined) return;
  const told = Number(time);
  const at = time === undefined ? NO_TIME : Math.round(told > LEAST_MILLISECONDS ? told : told * 1000);
  builder.addSeries(name, labelsOf(labels), [[at, Number(value)]]);
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_escape, character: string) => (character === 'n' ? '\n' : character)),
    ]),
  );
}
