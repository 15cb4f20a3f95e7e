import type { RunningContainer } from './runtime.js';

/** Containers that run now, by the id of their run: whoever wants to start something in one finds it here. */
export class RunningContainers {
  readonly #byId = new Map<string, RunningContainer>();

  open(id: string, container: RunningContainer): void {
    this.#byId.set(id, container);
  }

  end(id: string): void {
    this.#byId.delete(id);
  }

  find(id: string): RunningContainer | undefined {
    return this.#byId.get(id);
  }
}
