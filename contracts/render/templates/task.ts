import type { JsonObject } from '../../../src/model/json/index.js';

/** Templates to render, as the Go program reads them. */
export interface Task {
  readonly topic: string;
  readonly templates: readonly { readonly name: string; readonly text: string }[];
  readonly values: JsonObject;
  readonly name: string;
  readonly missingKey: 'invalid' | 'zero' | 'error';
  /** Without the functions of sprig. */
  readonly isPlain: boolean;
  /** With values under .Native that no values file can hold. */
  readonly hasNatives?: boolean;
}

/** Texts are byte strings: one character a byte. */
export interface Answer {
  readonly output: string;
  readonly failure: '' | 'parse' | 'exec' | 'panic' | 'time';
  readonly message: string;
}
