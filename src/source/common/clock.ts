import type { LookupFunction } from 'node:net';

/** Time as this room sees it; tests move it by hand. */
export interface Clock {
  now(): Date;
  /** Milliseconds that only grow: for limits and ages. */
  steady(): number;
  /** Calls back after `milliseconds`; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
  /** As `after`, for the patience with a program of this machine: a clock that leaps must not leap over its work. */
  deadline?(milliseconds: number, callback: () => void): () => void;
}

/** What the room needs of the outside beside the network and the disk. */
export interface SourceDependencies {
  readonly clock: Clock;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random: () => number;
  /** Variables of the process; PATH and the proxies are used, nothing else reaches a child. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes what went wrong and was survived, and with level info that it is over. Never contains a secret. */
  readonly report: (problem: string, level?: 'info' | 'warn') => void;
  /** What names of servers mean; the system's own way unless told. */
  readonly lookup?: LookupFunction;
}
