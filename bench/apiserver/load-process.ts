import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runJob } from './load.js';
import type { Job, Outcome, Target } from './wire.js';

interface JobRequest {
  readonly target: Target;
  readonly job: Job;
}

type JobReply = { readonly outcome: Outcome } | { readonly failure: string };

/** The clients, in a process of their own: what they cost is in no server's way but the machine's. */
export class LoadProcess {
  readonly #child: ChildProcess = fork(fileURLToPath(import.meta.url), ['load']);

  run(target: Target, job: Job): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const ended = (): void => {
        reject(new Error('the load process ended'));
      };
      this.#child.once('exit', ended);
      this.#child.once('message', (answer: JobReply) => {
        this.#child.off('exit', ended);
        if ('outcome' in answer) resolve(answer.outcome);
        else reject(new Error(answer.failure));
      });
      this.#child.send({ target, job } satisfies JobRequest);
    });
  }

  close(): void {
    this.#child.kill();
  }
}

/** The other side: does what the parent asks, one order at a time. */
function serveJobs(): void {
  process.on('message', ({ target, job }: JobRequest) => {
    runJob(target, job).then(
      (outcome) => process.send?.({ outcome } satisfies JobReply),
      (error: unknown) =>
        process.send?.({
          failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
        } satisfies JobReply),
    );
  });
  process.on('disconnect', () => process.exit());
}

if (process.argv[2] === 'load' && process.send !== undefined) serveJobs();
