import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

/** One command line, as a user types it into a shell. */
export interface Command {
  readonly run: string;
  readonly stdin?: string;
  /** Repeats it until stdout or stderr has this text. */
  readonly until?: string;
  /** Sorts the lines of stdout where their order is chance on the real server. */
  readonly unordered?: boolean;
  /**
   * Goes on with the next commands once it has sent a request whose URL has the text `asked`; ends it after so many
   * `lines`.
   */
  readonly beside?: { readonly asked: string; readonly lines?: number };
}

/** Commands that run one after the other in a namespace of the topic's name. */
export interface Topic {
  readonly name: string;
  /** Files of the working directory, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Beginnings of names that the server completes with five letters. */
  readonly generated: readonly string[];
  readonly commands: readonly Command[];
}

const FOLDER = join(import.meta.dirname, 'commands');
const FIELDS = new Set(['run', 'stdin', 'until', 'unordered', 'beside']);

/** Every topic, or those that ARGOSY_TOPIC names. */
export function readTopics(): Topic[] {
  const wish = process.env['ARGOSY_TOPIC']?.split(',');
  const names = readdirSync(FOLDER)
    .map((file) => basename(file, '.yaml'))
    .sort();
  return names.filter((name) => wish === undefined || wish.includes(name)).map(readTopic);
}

function readTopic(name: string): Topic {
  const raw = parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8')) as Partial<Omit<Topic, 'commands'>> & {
    commands?: readonly (string | Command)[];
  };
  const commands = (raw.commands ?? []).map((command) => (typeof command === 'string' ? { run: command } : command));
  for (const command of commands) {
    const unknown = Object.keys(command).find((field) => !FIELDS.has(field));
    if (unknown !== undefined || typeof command.run !== 'string')
      throw new Error(`${name}: ${JSON.stringify(command)} is no command`);
  }
  return { name, files: raw.files ?? {}, generated: raw.generated ?? [], commands };
}
