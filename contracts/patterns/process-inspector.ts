import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { startDouble, type Double } from '../../world/doubles/index.js';

const INTERVAL = 50;

/**
 * Looks at the arguments and the environment of every process that this one started, and of those that they started,
 * while they run.
 */
export class ProcessInspector {
  /** What was seen, each once. */
  readonly captured = new Set<string>();
  readonly #timer = setInterval(() => {
    this.inspect();
  }, INTERVAL);

  inspect(): void {
    for (const pid of childrenOf(String(process.pid))) {
      const words = read(`${pid}/cmdline`);
      if (words !== '') this.captured.add(`${words}\nenvironment: ${read(`${pid}/environ`)}`);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The same server at another address, where every question is a moment to look: whoever asks is alive then. */
  proxyFor(url: string, onAnswer: (status: number, isLogin: boolean) => void = () => undefined): Promise<Double> {
    return startDouble(
      ({ request: asked, response }) =>
        new Promise((resolve, reject) => {
          this.inspect();
          const forward = request(
            `${url}${asked.url ?? '/'}`,
            { method: asked.method, headers: asked.headers },
            (answer) => {
              const status = answer.statusCode ?? 502;
              onAnswer(status, asked.headers.authorization !== undefined);
              response.writeHead(status, answer.headers);
              answer.pipe(response).once('close', resolve);
            },
          );
          forward.once('error', reject);
          asked.pipe(forward);
        }),
    );
  }
}

/** Children, and theirs. */
function childrenOf(pid: string): string[] {
  const own = threadsOf(pid).flatMap((thread) =>
    read(`${pid}/task/${thread}/children`)
      .split(' ')
      .filter((each) => each !== ''),
  );
  return own.flatMap((child) => [child, ...childrenOf(child)]);
}

function threadsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
