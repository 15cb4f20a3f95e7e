import type { NotebookOperator } from './notebook-operator.js';

/** Lets the operator work exactly while this process leads, whichever of the two comes first. */
export class NotebookShift {
  #operator: NotebookOperator | undefined;
  #leads = false;

  async begin(start: () => Promise<NotebookOperator | undefined>): Promise<void> {
    this.#operator = await start();
    if (this.#leads) this.#operator?.open();
  }

  turn(leads: boolean): void {
    this.#leads = leads;
    if (leads) this.#operator?.open();
    else void this.#operator?.pause();
  }

  async close(): Promise<void> {
    await this.#operator?.close();
  }
}
