import { Option, type Command } from 'commander';
import {
  createLogger,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type Logger,
  type LogLevel,
} from '../../model/logging/index.js';
import type { CliHost, LogSettings } from '../host/index.js';
import { oneOf } from './flag-values.js';

/** What every long-running command asks about its log. */
export interface LogFlags {
  readonly logLevel: LogLevel;
  readonly logFormat?: LogFormat;
}

export function withLogFlags(command: Command, { environment }: CliHost, level: LogLevel = 'info'): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'minimum log level')
        .choices(LOG_LEVELS)
        .default(oneOf(LOG_LEVELS, environment, 'ARGOSY_LOG_LEVEL') ?? level),
    )
    .addOption(
      new Option('--log-format <format>', 'log format (default: text on a terminal, otherwise json)')
        .choices(LOG_FORMATS)
        .default(oneOf(LOG_FORMATS, environment, 'ARGOSY_LOG_FORMAT')),
    );
}

/** Text where a person reads along, one JSON object a line everywhere else. */
export function logSettings({ logLevel, logFormat }: LogFlags, { stderr }: CliHost): LogSettings {
  return { level: logLevel, format: logFormat ?? (stderr.isTTY === true ? 'text' : 'json') };
}

export function openLog(flags: LogFlags, host: CliHost): Logger {
  return createLogger({
    ...logSettings(flags, host),
    now: () => host.now(),
    write: (line) => void host.stderr.write(line),
  });
}
