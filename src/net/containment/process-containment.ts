import { Fault } from '../../model/faults/index.js';
import type { Logger } from '../../model/logging/index.js';
import { Containment, type ContainmentOptions, type SetAside, type WorkName } from './containment.js';

interface ProcessContainmentOptions extends ContainmentOptions {
  readonly log: Logger;
  /** Ends the process: too much broke that belongs to no object. */
  readonly giveUp: (fault: Fault) => void;
}

/** Failures that belong to no object: with more than these, something is broken that a restart may repair. */
const MAX_FAILURES = 10;
const WINDOW = 10 * 60_000;

/** One in each process: whatever was not caught at a boundary ends here. */
let contained: Containment | undefined;

/** Catches what nobody caught, from now on, and remembers which objects were worked on. */
export function containProcess(options: ProcessContainmentOptions): { close(): void } {
  const containment = new Containment(options);
  contained = containment;
  const recent: number[] = [];
  const failed = (error: unknown): void => {
    const { log, now, giveUp } = options;
    const name = containment.current;
    if (name !== undefined) {
      const isSetAside = containment.strike(name, error instanceof Error ? error.message : String(error));
      log.error(
        isSetAside ? 'set aside: it failed twice outside of its reconcile' : 'failed outside of its reconcile',
        {
          object: name,
          error,
        },
      );
      return;
    }
    log.error('a failure that no part handled; the process goes on', { error });
    recent.push(now());
    while ((recent[0] ?? 0) < now() - WINDOW) recent.shift();
    if (recent.length > MAX_FAILURES)
      giveUp(
        new Fault('PROCESS_BROKEN', `more than ${MAX_FAILURES} failures in ten minutes that no part handled`, {
          where: `the last one: ${error instanceof Error ? error.message : String(error)}`,
        }),
      );
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  return {
    close() {
      process.off('uncaughtException', failed);
      process.off('unhandledRejection', failed);
      containment.close();
      if (contained === containment) contained = undefined;
    },
  };
}

/** Work on an object of the cluster; one that broke this process twice is skipped. Undefined: no object. */
export async function workOn<T>(nameOf: () => WorkName | undefined, act: () => Promise<T>): Promise<T | undefined> {
  const name = contained === undefined ? undefined : nameOf();
  return contained === undefined || name === undefined ? await act() : await contained.run(name, act);
}

/** The objects that are set aside; none where nothing is contained. */
export function onSetAside(listener: (one: SetAside) => void): { close(): void } {
  return contained?.onSetAside(listener) ?? { close: () => undefined };
}
