import type { Command } from 'commander';

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

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
/** As Helm takes them: several in one flag, with commas between. */
export const collectList = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(','),
];

export function withValuesFlags(command: Command): Command {
  return command
    .option('-f, --values <file>', 'a values file, - for standard input; may be repeated, later ones win', collectList)
    .option('--set <key=value>', 'a value, or several with commas between; may be repeated', collect)
    .option('--set-string <key=value>', 'the same, always as text', collect)
    .option('--set-file <key=path>', 'the content of a file as a value', collect)
    .option('--set-json <key=json>', 'a value as JSON', collect)
    .option('--set-literal <key=value>', 'a text as it is, commas included', collect)
    .option('--root <folder>', 'paths may lead anywhere inside this folder (default: the git repository)');
}
