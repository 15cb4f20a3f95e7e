import { anyOf } from '../any-of.js';

/** What kubectl, containerd and terminals put around a line. */
const DECORATION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)\s(?:std(?:out|err) [FP] )?/;
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Places in programs: they say where, never what. */
const FRAME = anyOf(
  // Java, Kotlin, Scala, .NET and Node
  /^\s*at (?:async |new )?[\w$.<>[\]`/|~-]+(?:\s?\(|\.[\w$<>[\]`]+\(| in )/,
  /^\s*at (?:async )?(?:file:\/\/|node:|\/)\S+:\d+/,
  /^\s*\.\.\. \d+ (?:more|common frames omitted)/,
  /^\s*--- End of (?:stack trace|inner exception)/,
  // Python
  /^\s*File "[^"]*", line \d+/,
  /^\s*[\^~]+\s*$/,
  // Go
  /^goroutine \d+ \[/,
  /^\s+\S+\.go:\d+(?: \+0x[0-9a-f]+)?\s*$/,
  /^(?:created by )?[\w./*()-]+\((?:0x[0-9a-f]+|\{|\.\.\.|\))[^:]*$/,
  // Ruby, PHP and Rust
  /^\s*from \S+:\d+:in [`']/,
  /^#\d+ .*\(\d+\)/,
  /^\s+\d+: (?:0x[0-9a-f]+ - )?[\w:<>]+$/,
);

/** Lines of a level at which nothing is wrong. */
const QUIET: readonly RegExp[] = [
  /^.{0,60}?(?:\s|\[|\|)(?:TRACE|DEBUG|INFO|NOTICE)(?:\s|\]|:|\|)/,
  /^.{0,80}?(?:level|severity|lvl)["']?\s?[=:]\s?["']?(?:trace|debug|info|notice)\b/i,
  /^.{0,60}?\[(?:trace|debug|info|notice|note|system)\]/i,
  /^[ID]\d{4} \d\d:\d\d/,
];

/** The lines in which something may be said to be wrong: without time stamps, colours and places in programs. */
export function loudLines(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.replace(ESCAPES, '').replace(DECORATION, '').trimEnd())
    .filter((line) => line.trim() !== '' && !FRAME.test(line) && !QUIET.some((quiet) => quiet.test(line)))
    .map((line) => line.trim());
}

/** An exception that another one was made of: the last in a row is the first that happened. */
const CAUSED_BY = /^(?:Caused by: |---> |Suppressed: )/;
/** How Python sets the first of two exceptions apart from the one that followed. */
const FOLLOWED = /^(?:During handling of the above exception|The above exception was the direct cause)/;

/** The first exception of the last chain in a log; undefined if nothing is chained. */
export function rootOfChain(lines: readonly string[]): string | undefined {
  const followed = lines.findIndex((line) => FOLLOWED.test(line));
  if (followed > 0) return lines[followed - 1];
  return lines.findLast((line) => CAUSED_BY.test(line))?.replace(CAUSED_BY, '');
}

/** What happened earlier may be over. */
const FRESH_FOR = 3_600_000;

/** Whether a line is of the last hour; one without a time is, since logs are kept short. */
export function isFresh(line: string, now: number): boolean {
  const time = Date.parse(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)/.exec(line)?.[0] ?? '');
  return !(now - time > FRESH_FOR);
}
