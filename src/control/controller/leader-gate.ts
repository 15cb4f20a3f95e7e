/** An operator or controller that runs on the leader only. */
interface LeaderWorker {
  /** This process leads: everything is reconciled. */
  open(): void;
  pause(): Promise<void>;
  close(): Promise<void>;
}

/** Runs a worker exactly while this process leads, whether it starts before or after that. */
export class LeaderGate {
  #worker: LeaderWorker | undefined;
  #leads = false;

  async start(start: () => Promise<LeaderWorker | undefined>): Promise<void> {
    this.#worker = await start();
    if (this.#leads) this.#worker?.open();
  }

  setLeading(leads: boolean): void {
    this.#leads = leads;
    if (leads) this.#worker?.open();
    else void this.#worker?.pause();
  }

  async close(): Promise<void> {
    await this.#worker?.close();
  }
}
