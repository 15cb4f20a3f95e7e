import type { LineSink } from './log-file.js';

/** Standard output: whoever collects it keeps it, and the chain begins anew with each process. */
export function streamSink(write: (text: string) => unknown): LineSink {
  return {
    append: (bytes) => {
      write(bytes.toString('utf8'));
      return Promise.resolve();
    },
    sync: () => Promise.resolve(),
    setHead: () => Promise.resolve(),
    rotate: () => Promise.resolve([]),
    removeOld: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
