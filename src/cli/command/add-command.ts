import type { Command } from 'commander';
import type { CliHost } from '../host/index.js';

/** How a command ends: with an exit code of its own, or with another one than 20 if it fails. */
export interface ExitStatus {
  readonly exit: (code: number) => void;
  readonly failWith: (code: number) => void;
}

/** Adds one command, or a group of them, to the program. Everything it needs to run is loaded by its action. */
export type AddCommand = (program: Command, host: CliHost, exitStatus: ExitStatus) => void;
