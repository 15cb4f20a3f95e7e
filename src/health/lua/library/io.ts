import type { HostFunction, HostLibrary } from '../value.js';

function refuse(name: string): HostFunction {
  return (run) => run.fail(`io.${name} is not available: scripts have no access to files and processes`);
}

/** The library `io`: it is there, as in gopher-lua, but every function that would touch the machine fails. */
export const IO: HostLibrary = {
  close: refuse('close'),
  flush: refuse('flush'),
  lines: refuse('lines'),
  input: refuse('input'),
  output: refuse('output'),
  open: refuse('open'),
  popen: refuse('popen'),
  read: refuse('read'),
  tmpfile: refuse('tmpfile'),
  write: refuse('write'),
  // There are no files, so nothing is one.
  type: () => [undefined],
};
