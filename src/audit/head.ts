import { objectIn } from '../model/json/index.js';

/**
 * The last line that was written, in a file beside the log: without it nobody would miss lines at the end. It is
 * written after its line, so after a crash it may be behind the log, and never ahead of it.
 */
export interface Head {
  readonly seq: number;
  readonly hash: string;
  /** The key that the log is chained with; empty without one. */
  readonly key: string;
}

export const headFile = (file: string): string => `${file}.head`;

/** It is written over the one before. */
const LENGTH = 160;

export function formatHead({ seq, hash, key }: Head): string {
  return `${JSON.stringify({ seq, hash, key }).padEnd(LENGTH)}\n`;
}

/** Undefined for what nobody wrote like this. */
export function parseHead(text: string): Head | undefined {
  const { seq, hash, key } = objectIn(text);
  if (typeof seq !== 'number' || typeof hash !== 'string' || typeof key !== 'string') return undefined;
  const head = { seq, hash, key };
  return formatHead(head) === text ? head : undefined;
}
