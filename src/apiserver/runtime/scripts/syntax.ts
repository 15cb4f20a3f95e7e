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

type Call = Command & { readonly kind: 'call' };

/** Every command in a command, those of `$(...)` too. */
export function callsIn(command: Command): Call[] {
  switch (command.kind) {
    case 'call':
      return [
        command,
        ...[...command.words, ...command.sets.map(({ value }) => value)]
          .flat()
          .flatMap((part) => (part.kind === 'output' ? callsIn(part.of) : [])),
      ];
    case 'not':
      return callsIn(command.of);
    case 'and':
    case 'or':
      return [...callsIn(command.left), ...callsIn(command.right)];
    case 'loop':
      return [...callsIn(command.test), ...callsIn(command.body)];
    case 'for':
      return callsIn(command.body);
    case 'if':
      return [
        ...command.arms.flatMap(({ test, body }) => [...callsIn(test), ...callsIn(body)]),
        ...(command.other === undefined ? [] : callsIn(command.other)),
      ];
    case 'pipe':
    case 'list':
      return command.of.flatMap(callsIn);
  }
}
