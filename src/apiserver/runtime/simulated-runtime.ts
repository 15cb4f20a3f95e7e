import { createHash } from 'node:crypto';
import { Fault } from '../../model/index.js';
import type { Clock } from '../local-client.js';
import { text } from '../resources/kinds/fields.js';
import { behaviourOf, PULL_DELAY, SANDBOX_DELAY, simulationComplaint, type Behaviour } from './behaviour.js';
import { parseImage } from './image-reference.js';
import type { ImageRegistries } from './image-registries.js';
import type { ContainerExit, ContainerListener, ContainerStart, RunningContainer, Runtime } from './runtime.js';

/** Nothing of a manifest is executed: containers live and end as data says, on the given clock. */
export function simulatedRuntime(clock: Clock, registries: Pick<ImageRegistries, 'refusal'>): Runtime {
  return {
    pull(image, pod) {
      const reference = parseImage(image);
      const digest = createHash('sha256').update(image).digest('hex');
      const refused = reference && registries.refusal(reference, pod);
      if (refused !== undefined) return { ok: false, milliseconds: PULL_DELAY, message: refused };
      // Sizes look like sizes and are the same each time.
      return { ok: true, milliseconds: PULL_DELAY, bytes: 20_000_000 + Number.parseInt(digest.slice(0, 7), 16), digest: `sha256:${digest}` };
    },
    start: (container, tell) => run(clock, container, tell),
    sandboxDelay: () => SANDBOX_DELAY,
    complaint: simulationComplaint,
  };
}

function run(clock: Clock, start: ContainerStart, tell: ContainerListener): RunningContainer {
  const behaviour = readBehaviour(start);
  const elapsed = clock.now().getTime() - start.startedAt.getTime();
  let ended = false;
  let cancel: () => void = () => undefined;
  const end = (exit: ContainerExit): void => {
    if (ended) return;
    ended = true;
    cancel();
    tell.log(`${text(start.spec, 'name')}: ended with exit code ${exit.exitCode}`);
    tell.exited(exit);
  };
  const lines = behaviour.log.length > 0 ? behaviour.log : [`${text(start.spec, 'name')}: started from image ${text(start.spec, 'image')} (simulated: nothing is executed)`];
  if (!start.resumed) for (const line of lines) tell.log(line);
  if (behaviour.after !== undefined) cancel = clock.after(Math.max(0, behaviour.after - elapsed), () => end(ownExit(behaviour)));
  return {
    stop(grace) {
      if (ended) return;
      cancel();
      const killed = behaviour.stop > grace;
      const exit: ContainerExit = killed ? { exitCode: 137, reason: 'Error' } : { exitCode: start.role === 'app' && behaviour.after !== undefined ? 143 : 0, reason: '' };
      const wait = Math.min(behaviour.stop, grace);
      const finish = (): void => end(exit.reason === '' ? { ...exit, reason: exit.exitCode === 0 ? 'Completed' : 'Error' } : exit);
      if (wait === 0) finish();
      else cancel = clock.after(wait, finish);
    },
    turnsAt(probe, pod) {
      if (probe === 'liveness') return behaviour.alive;
      const { ready } = readBehaviour({ ...start, pod });
      // What has started stays started.
      return probe === 'startup' ? Math.min(behaviour.ready, ready) : ready;
    },
  };
}

function ownExit({ exitCode, reason, message }: Behaviour): ContainerExit {
  return { exitCode, reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'), ...(message === undefined ? {} : { message }) };
}

/** A wrong annotation is told of in an Event of the pod; its containers then do what they do by default. */
function readBehaviour({ pod, spec, role, attempt }: ContainerStart): Behaviour {
  try {
    return behaviourOf(pod, text(spec, 'name'), role, attempt);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return behaviourOf({ ...pod, metadata: { ...pod.metadata, annotations: {} } }, text(spec, 'name'), role, attempt);
  }
}
