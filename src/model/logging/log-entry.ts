import { Fault } from '../faults/index.js';

/** From the least to the most important. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Text for people at a terminal, JSON for programs that collect logs. */
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** What a line is about. */
export interface LogFields {
  /** The part of Argosy that writes the line, such as control or api. */
  readonly room?: string;
  /** The Application, as NAMESPACE/NAME. */
  readonly app?: string;
  /** Any other object, as KIND NAMESPACE/NAME. */
  readonly object?: string;
  /** Its message is appended to the line's, its code becomes the line's fault. */
  readonly error?: unknown;
}

export interface LogEntry extends Omit<LogFields, 'error'> {
  /** RFC 3339 with milliseconds, in UTC. */
  readonly time: string;
  readonly level: LogLevel;
  readonly msg: string;
  /** A code of the fault registry, or DEFECT for an error that nobody expected. */
  readonly fault?: string;
}

export function toLogEntry(time: number, level: LogLevel, message: string, fields: LogFields): LogEntry {
  const { room, app, object, error } = fields;
  return {
    time: new Date(time).toISOString(),
    level,
    msg: withoutPasswords(error === undefined ? message : `${message}: ${errorText(error, level)}`),
    ...(room === undefined ? {} : { room }),
    ...(app === undefined ? {} : { app }),
    ...(object === undefined ? {} : { object }),
    ...faultOf(error, level),
  };
}

function faultOf(error: unknown, level: LogLevel): { readonly fault?: string } {
  if (error instanceof Fault) return { fault: error.code };
  return error !== undefined && level === 'error' ? { fault: 'DEFECT' } : {};
}

/** One line, without its end. The order of the JSON keys is fixed: time level msg room app object fault. */
export function formatLogEntry(entry: LogEntry, format: LogFormat): string {
  if (format === 'json') return JSON.stringify(entry);
  const { time, level, room, fault } = entry;
  const source = room === undefined ? '' : ` ${room}`;
  const code = fault === undefined ? '' : ` fault=${fault}`;
  return `${time} ${level.toUpperCase().padEnd(5)}${source} ${plainText(entry)}${code}`;
}

/** Only what happened, and to what: for a command that a person runs. */
export function plainText({ app, object, msg }: LogEntry): string {
  return onTerminal([app, object, msg].filter((part) => part !== undefined).join(': '));
}

/** Only a defect needs the place in the code. */
function errorText(error: unknown, level: LogLevel): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Fault || level !== 'error') return error.message;
  return error.stack ?? error.message;
}

/** The last line of defence: whoever writes a message masks addresses already. */
function withoutPasswords(text: string): string {
  return text.includes('@') ? text.replace(/(:\/\/[^/\s:@]*):[^/\s@]+@/g, '$1:***@') : text;
}

const CONTROL_CHARACTERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Continuation lines are indented and escape sequences are spelled out, so that no message can forge a line. */
function onTerminal(text: string): string {
  return text
    .trimEnd()
    .replace(CONTROL_CHARACTERS, (character) =>
      character === '\t' ? '  ' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
    .replaceAll('\n', '\n    ');
}
