/** A piece of a word. What is not quoted is split at spaces once it is filled in. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback: string; readonly quoted: boolean }
  | { readonly kind: 'output'; readonly of: Command; readonly quoted: boolean }
  | { readonly kind: 'sum'; readonly text: string };

export type Word = readonly Part[];

export type Command =
  | {
      readonly kind: 'call';
      readonly sets: readonly { readonly name: string; readonly value: Word }[];
      readonly words: readonly Word[];
      /** Its output goes to a file, of which there is none here. */
      readonly silent: boolean;
    }
  | { readonly kind: 'pipe'; readonly of: readonly Command[] }
  | { readonly kind: 'not'; readonly of: Command }
  | { readonly kind: 'and' | 'or'; readonly left: Command; readonly right: Command }
  | { readonly kind: 'list'; readonly of: readonly Command[] }
  | { readonly kind: 'loop'; readonly until: boolean; readonly test: Command; readonly body: Command }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[]; readonly body: Command }
  | {
      readonly kind: 'if';
      readonly arms: readonly { readonly test: Command; readonly body: Command }[];
      readonly other: Command | undefined;
    };

/** The script has something that is not played. */
export class ScriptError extends Error {}

/** Every command in a command, those of `$(...)` too. */
export function* callsIn(command: Command): Generator<Command & { kind: 'call' }> {
  switch (command.kind) {
    case 'call':
      yield command;
      for (const word of [...command.words, ...command.sets.map(({ value }) => value)])
        for (const part of word) if (part.kind === 'output') yield* callsIn(part.of);
      return;
    case 'not':
      return yield* callsIn(command.of);
    case 'and':
    case 'or':
      yield* callsIn(command.left);
      return yield* callsIn(command.right);
    case 'loop':
      yield* callsIn(command.test);
      return yield* callsIn(command.body);
    case 'for':
      return yield* callsIn(command.body);
    case 'if':
      for (const { test, body } of command.arms) {
        yield* callsIn(test);
        yield* callsIn(body);
      }
      if (command.other !== undefined) yield* callsIn(command.other);
      return;
    case 'pipe':
    case 'list':
      for (const each of command.of) yield* callsIn(each);
  }
}
