import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Approval {
  isApproved: boolean;
  readonly waiting: ServerResponse[];
  readonly listeners: (() => void)[];
}

/**
 * Who is asked by notebooks whether they may go on. They wait for the answer, and the test for the question: nothing
 * depends on time.
 */
export class ApprovalServer {
  readonly #questions = new Map<string, Approval>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<ApprovalServer> {
    const server = createServer((request, response) => {
      keeper.#ask((request.url ?? '/').slice(1), response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const keeper = new ApprovalServer(
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
  requested(question: string): Promise<void> {
    const { waiting, listeners } = this.#of(question);
    return waiting.length > 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          listeners.push(resolve);
        });
  }

  /** Who waits goes on, and whoever asks the same later is not held. */
  approve(...questions: readonly string[]): void {
    for (const each of questions) {
      const question = this.#of(each);
      question.isApproved = true;
      for (const asker of question.waiting.splice(0)) asker.end();
    }
  }

  #ask(name: string, response: ServerResponse): void {
    const question = this.#of(name);
    if (question.isApproved) response.end();
    else question.waiting.push(response);
    for (const tell of question.listeners.splice(0)) tell();
  }

  #of(name: string): Approval {
    const known = this.#questions.get(name) ?? { isApproved: false, waiting: [], listeners: [] };
    this.#questions.set(name, known);
    return known;
  }
}
