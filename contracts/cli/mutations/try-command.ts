import type { Ran } from '../app-lab.js';

const PATIENCE = 60_000;
const CODES = new Set([0, 1, 2, 20]);

/** What is wrong with how a command ended; undefined where it is a sentence and a code, or an answer. */
export async function whatIsWrong(
  argv: readonly string[],
  run: (argv: readonly string[]) => Promise<Ran>,
): Promise<string | undefined> {
  const say = (problem: string): string =>
    `${problem}: argosy ` +
    argv.map((word) => (word.length > 60 ? JSON.stringify(`${word.slice(0, 60)}...`) : JSON.stringify(word))).join(' ');
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => {
      resolve('hangs');
    }, PATIENCE);
  });
  try {
    const ended = await Promise.race([run(argv), tooLong]);
    if (ended === 'hangs') return say('it hangs');
    const { code, out, err } = ended;
    if (!CODES.has(code)) return say(`it ends with ${code}`);
    if (/^\s+at .*:\d+:\d+\)?$/m.test(out + err)) return say('it prints a stack trace');
    if (err.includes('defect of Argosy')) return say(`it calls itself a defect (${err.trim().slice(0, 200)})`);
    if (code === 20 && !/^(argosy: \S|\{)/m.test(err)) return say(`it says nothing (${err.slice(0, 200)})`);
    return undefined;
  } catch (error) {
    return say(`it throws ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    clearTimeout(timer);
  }
}
