import { fork, type ChildProcess } from 'node:child_process';
import type { Answer, Task } from './task.js';

/** A process of our side; one task at a time. */
export class OurProcess {
  readonly #child: ChildProcess;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  constructor(bundle: string) {
    this.#child = fork(bundle, { execArgv: ['--disable-proto=delete', '--expose-gc'] });
    this.#child.on('message', (answer: Answer) => this.#waiting?.resolve(answer));
    this.#child.once('exit', (code) => this.#waiting?.reject(new Error(`our side ended (${String(code)})`)));
  }

  do(task: Task): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.send(task);
    });
  }

  /** Ends it and waits until it is gone. */
  close(): Promise<void> {
    this.#waiting = undefined;
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve();
      else this.#child.once('exit', () => resolve()).disconnect();
    });
  }
}
