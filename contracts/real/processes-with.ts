import { readdirSync, readFileSync } from 'node:fs';

/** The processes of this machine with this word in their command line, those that have ended left out. */
export function processesWith(word: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word) &&
          !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
        );
      } catch {
        return false; // ended meanwhile
      }
    });
}
