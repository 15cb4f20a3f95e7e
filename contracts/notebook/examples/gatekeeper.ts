import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Question {
  isAnswered: boolean;
  readonly askers: ServerResponse[];
  readonly listeners: (() => void)[];
}

/**
 * Who is asked by notebooks whether they may go on. They wait for the answer, and the test for the question: nothing
 * depends on time.
 */
export class Gatekeeper {
  readonly #questions = new Map<string, Question>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Gatekeeper> {
    const server = createServer((request, response) => {
      keeper.#ask((request.url ?? '/').slice(1), response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const keeper = new Gatekeeper(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      () =>
        new Promise((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        }),
    );
    return keeper;
  }

  /** Resolves when a notebook waits for the answer. */
  asked(question: string): Promise<void> {
    const { askers, listeners } = this.#of(question);
    return askers.length > 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          listeners.push(resolve);
        });
  }

  /** Who waits goes on, and whoever asks the same later is not held. */
  answer(...questions: readonly string[]): void {
    for (const each of questions) {
      const question = this.#of(each);
      question.isAnswered = true;
      for (const asker of question.askers.splice(0)) asker.end();
    }
  }

  #ask(name: string, response: ServerResponse): void {
    const question = this.#of(name);
    if (question.isAnswered) response.end();
    else question.askers.push(response);
    for (const tell of question.listeners.splice(0)) tell();
  }

  #of(name: string): Question {
    const known = this.#questions.get(name) ?? { isAnswered: false, askers: [], listeners: [] };
    this.#questions.set(name, known);
    return known;
  }
}
