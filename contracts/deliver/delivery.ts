import type { Case } from './case.js';
import type { DeliverCluster } from './clusters.js';
import { startController, type Controller } from './controller.js';
import { playCase } from './play.js';

/**
 * Plays cases on one cluster, several at a time: most share a controller, those with settings of their own have one of
 * their own.
 */
export class Delivery {
  readonly #turns = new Map<string, Promise<void>>();
  #count = 0;

  private constructor(
    readonly cluster: DeliverCluster,
    private readonly controller: Controller,
  ) {}

  static async open(open: () => Promise<DeliverCluster>): Promise<Delivery> {
    const cluster = await open();
    try {
      return new Delivery(cluster, await startController(cluster, 'argocd', {}));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async play(one: Case): Promise<void> {
    const id = `case-${++this.#count}`;
    // A name that holds the case's own name is its own.
    await this.#alone(
      one.shared.filter((name) => !name.includes('${')),
      async () => {
        const isSpecial =
          Object.keys(one.settings).length > 0 ||
          one.tools.length > 0 ||
          one.steps.some((step) => step.settings !== undefined);
        const controller = isSpecial
          ? await startController(this.cluster, `argocd-${id}`, one.settings, one.tools)
          : this.controller;
        try {
          await playCase(this.cluster, controller, one, id);
        } catch (error) {
          throw new Error(
            `${one.name}\n  ${error instanceof Error ? error.message : String(error)}${recentLogLines(controller, id)}`,
            { cause: error },
          );
        } finally {
          if (isSpecial) await controller.stop();
        }
      },
    );
  }

  async close(): Promise<void> {
    await this.controller.stop();
    await this.cluster.stop();
  }

  /** Waits for cases that touch the same things. */
  async #alone(names: readonly string[], act: () => Promise<void>): Promise<void> {
    const before = names.flatMap((name) => this.#turns.get(name) ?? []);
    let leave: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      leave = resolve;
    });
    for (const name of names) this.#turns.set(name, turn);
    await Promise.all(before);
    try {
      await act();
    } finally {
      leave();
    }
  }
}

/** The last lines of the controller's log that name the application. */
function recentLogLines(controller: Controller, id: string): string {
  const lines = controller
    .log()
    .split('\n')
    .filter((line) => line.includes(`"${id}"`) || line.includes(`/${id}`));
  return lines.length === 0 ? '' : `\n  the controller said:\n    ${lines.slice(-6).join('\n    ')}`;
}
