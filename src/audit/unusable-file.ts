import { Fault } from '../model/faults/index.js';

/** What the system says of a file that somebody named; what is not of the system is given as it is. */
export function unusableFile(what: string, file: string, flag: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault || !('syscall' in error)) return error;
  const [reason = ''] = error.message.split(', ');
  return new Fault('FILE_UNREADABLE', `${what}: ${reason}`, {
    where: file,
    hint: `name a file that this user may use with ${flag}`,
  });
}
