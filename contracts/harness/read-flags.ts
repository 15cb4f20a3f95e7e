import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The flags of a script; what is wrong with them is told in a line, as the program does. */
export function readFlags<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)}.\n`);
    return process.exit(20);
  }
}
