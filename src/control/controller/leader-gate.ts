/** Somebody who works beside the delivery of applications, such as an operator. */
interface LeaderWorker {
  /** This process leads: everything is looked at. */
  open(): void;
  pause(): Promise<void>;
  close(): Promise<void>;
}

/** Lets one work exactly while this process leads, whichever of the two comes first. */
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
