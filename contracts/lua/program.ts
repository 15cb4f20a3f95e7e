import type { JsonObject } from '../../src/model/json/index.js';

/** A Lua program to run, with all libraries or with those that Argo CD always opens. */
export interface LuaCase {
  readonly source: string;
  readonly openLibs: boolean;
  /** The global `obj`; its keys must be in order. */
  readonly object?: JsonObject | undefined;
}

/** What a program did. Bytes that are no UTF-8 show as the replacement character. */
export interface Outcome {
  readonly printed: readonly string[];
  readonly returned: readonly string[];
  readonly failure: '' | 'syntax' | 'run' | 'time';
  readonly message: string;
}

/** The outcome as one text, to compare and to read. */
export function outcomeText({ printed, returned, failure, message }: Outcome): string {
  const end = failure === '' ? `returned ${returned.join(', ')}` : `failed (${failure}): ${message}`;
  return [...printed, end].join('\n');
}
