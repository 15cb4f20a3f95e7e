import {
  formatLogEntry,
  LOG_LEVELS,
  plainText,
  toLogEntry,
  type LogEntry,
  type LogFields,
  type LogFormat,
  type LogLevel,
} from './log-entry.js';

/** One line for each decision that an operator needs; no heartbeats and no secrets. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with these fields on every line. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** Lines below it are dropped. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes one line with its end. */
  readonly write: (line: string) => void;
}

export function createLogger({ level, format, now, write }: LoggerOptions): Logger {
  return new EntryLogger(level, now, {}, (entry) => {
    write(`${formatLogEntry(entry, format)}\n`);
  });
}

/** Messages alone, from info on: what a command prints on stderr, and what tests read. */
export function plainLogger(write: (line: string) => void): Logger {
  return new EntryLogger(
    'info',
    () => 0,
    {},
    (entry) => {
      write(plainText(entry));
    },
  );
}

export const NO_LOG: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => NO_LOG,
};

/** For rooms that only know that something went wrong and was survived. */
export function reportTo(log: Logger): (problem: string, level?: 'info' | 'warn') => void {
  return (problem, level = 'warn') => {
    log[level](problem);
  };
}

class EntryLogger implements Logger {
  readonly #least: LogLevel;
  readonly #now: () => number;
  readonly #fields: LogFields;
  readonly #take: (entry: LogEntry) => void;

  constructor(least: LogLevel, now: () => number, fields: LogFields, take: (entry: LogEntry) => void) {
    this.#least = least;
    this.#now = now;
    this.#fields = fields;
    this.#take = take;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new EntryLogger(this.#least, this.#now, { ...this.#fields, ...fields }, this.#take);
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#least)) return;
    this.#take(toLogEntry(this.#now(), level, message, { ...this.#fields, ...fields }));
  }
}
