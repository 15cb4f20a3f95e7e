import type { Command } from 'commander';
import { collect, collectList } from './flag-values.js';

/** The flags of `helm template` that say which values a chart gets. */
export interface ValuesFlags {
  readonly values?: readonly string[];
  readonly set?: readonly string[];
  readonly setString?: readonly string[];
  readonly setFile?: readonly string[];
  readonly setJson?: readonly string[];
  readonly setLiteral?: readonly string[];
  readonly root?: string;
}

export function withValuesFlags(command: Command): Command {
  return command
    .option(
      '-f, --values <file>',
      'values file, - for standard input; may be repeated, later files take precedence',
      collectList,
    )
    .option('--set <key=value>', 'set values, separated by commas; may be repeated', collect)
    .option('--set-string <key=value>', 'set string values', collect)
    .option('--set-file <key=path>', 'set a value from the content of a file', collect)
    .option('--set-json <key=json>', 'set a value from JSON', collect)
    .option('--set-literal <key=value>', 'set a literal string value', collect)
    .option('--root <folder>', 'paths must stay inside this folder (default: the git repository)');
}
