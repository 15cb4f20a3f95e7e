import { createHash } from 'node:crypto';
import { Fault } from '../../model/faults/index.js';
import type { Clock } from '../rest/index.js';
import { items, maybe, text } from '../resources/index.js';
import type { ReadAsPod } from './awaited-object.js';
import {
  behaviourOf,
  PULL_DELAY,
  SANDBOX_DELAY,
  SIMULATE,
  simulationError,
  type Behaviour,
  type SimulatedLine,
} from './behaviour.js';
import { START_ERROR, START_ERROR_CODE } from './container-state.js';
import { parseImage } from './images/image-reference.js';
import type { ImageRegistries } from './images/image-registries.js';
import type { PlayedCommands } from './played-commands.js';
import { playOf, ScriptError, wordsOf, type ClusterClient, type Play } from './scripts/index.js';
import type { ContainerExit, ContainerListener, ContainerStart, RunningContainer, Runtime } from './runtime.js';

interface SimulationParts {
  readonly clock: Clock;
  readonly registries: Pick<ImageRegistries, 'pullError'>;
  readonly ask: ReadAsPod;
  readonly commands: PlayedCommands;
  readonly cluster: ClusterClient;
}

/**
 * Nothing of a manifest is executed: containers live and end as data says, on the given clock. What waits for the
 * cluster waits: scripts of `kubectl get` and `kubectl wait` are played.
 */
export function simulatedRuntime(parts: SimulationParts): Runtime {
  const { registries, commands } = parts;
  return {
    pull(image, pod) {
      const reference = parseImage(image);
      const digest = createHash('sha256').update(image).digest('hex');
      const refused = reference && registries.pullError(reference, pod);
      if (refused !== undefined) return { ok: false, milliseconds: PULL_DELAY, message: refused };
      // Plausible sizes, the same each time.
      return {
        ok: true,
        milliseconds: PULL_DELAY,
        bytes: 20_000_000 + Number.parseInt(digest.slice(0, 7), 16),
        digest: `sha256:${digest}`,
      };
    },
    start: (container, listener) => withCommands(run(parts, container, listener), container, commands),
    startError: (start) => {
      const { reason, exitCode, message } = readBehaviour(start);
      return reason === START_ERROR && exitCode === START_ERROR_CODE ? (message ?? '') : undefined;
    },
    sandboxDelay: () => SANDBOX_DELAY,
    simulationError: simulationError,
  };
}

/** A container in which some commands are played answers them, as its pod says at the moment. */
function withCommands(container: RunningContainer, start: ContainerStart, commands: PlayedCommands): RunningContainer {
  let { pod } = start;
  const name = text(start.spec, 'name');
  return {
    stop: (grace, isStuck) => container.stop(grace, isStuck),
    renew(renewed) {
      pod = renewed;
      container.renew(renewed);
    },
    changesAt: (probe) => container.changesAt(probe),
    get exec() {
      return commands(pod, name);
    },
  };
}

function run(parts: SimulationParts, start: ContainerStart, listener: ContainerListener): RunningContainer {
  const { clock, ask } = parts;
  let behaviour = readBehaviour(start);
  let annotation = start.pod.metadata.annotations?.[SIMULATE];
  let startsAt = behaviour.ready;
  let ended = false;
  let stopping = false;
  let cancel: () => void = () => undefined;
  const end = (exit: ContainerExit): void => {
    if (ended) return;
    ended = true;
    cancel();
    listener.log(`${text(start.spec, 'name')}: ended with exit code ${exit.exitCode}`);
    listener.exited(exit);
  };
  const lines =
    behaviour.log.length > 0
      ? behaviour.log
      : [
          {
            after: 0,
            text:
              `${text(start.spec, 'name')}: started from image ${text(start.spec, 'image')} (simulated: ` +
              'nothing is executed)',
          },
          ...notebookLines(start),
        ];
  if (!start.resumed) for (const line of lines) if (line.after === 0) listener.log(filledIn(line.text, start));
  const plan = (): void => {
    const elapsed = clock.now().getTime() - start.startedAt.getTime();
    const timers = lines
      .filter(({ after }) => after > 0 && after >= elapsed)
      .map((line) => clock.after(line.after - elapsed, () => listener.log(filledIn(line.text, start))));
    timers.push(waitFor(clock, ask, start, behaviour, listener, () => end({ exitCode: 0, reason: 'Completed' })));
    const play = behaviour.isUntold ? playOfContainer(parts, start, listener) : undefined;
    if (play !== undefined)
      timers.push(
        follow(clock, play, listener, (exitCode) => end({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' })),
      );
    else if (behaviour.after !== undefined)
      timers.push(clock.after(Math.max(0, behaviour.after - elapsed), () => end(ownExit(behaviour))));
    cancel = () => timers.forEach((stop) => stop());
  };
  plan();
  return {
    renew(pod) {
      if (ended || stopping || pod.metadata.annotations?.[SIMULATE] === annotation) return;
      annotation = pod.metadata.annotations?.[SIMULATE];
      behaviour = readBehaviour({ ...start, pod });
      // What has started stays started.
      startsAt = Math.min(startsAt, behaviour.ready);
      cancel();
      plan();
    },
    stop(grace, isStuck = false) {
      if (ended) return;
      stopping = true;
      cancel();
      const killed = isStuck || behaviour.stop > grace;
      const exit: ContainerExit = killed
        ? { exitCode: 137, reason: 'Error' }
        : { exitCode: start.role === 'app' && behaviour.after !== undefined ? 143 : 0, reason: '' };
      const wait = Math.min(behaviour.stop, grace);
      const finish = (): void =>
        end(exit.reason === '' ? { ...exit, reason: exit.exitCode === 0 ? 'Completed' : 'Error' } : exit);
      if (wait === 0) finish();
      else cancel = clock.after(wait, finish);
    },
    changesAt: (probe) => ({ liveness: behaviour.alive, startup: startsAt, readiness: behaviour.ready })[probe],
  };
}

/** Whoever waits for the results of a notebook is told that there are none: it was not executed. */
function notebookLines({ spec }: ContainerStart): SimulatedLine[] {
  if (!items(spec, 'env').some((entry) => text(entry, 'name') === 'ARGOSY_RUN')) return [];
  return [{ after: 0, text: '@argosy $(ARGOSY_NONCE) {"event":"end","status":"simulated"}' }];
}

function filledIn(line: string, { spec }: ContainerStart): string {
  return line.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => {
    const entry = items(spec, 'env').find((each) => text(each, 'name') === name);
    return entry === undefined ? whole : text(entry, 'value');
  });
}

/**
 * Asks for the awaited object at once and then again and again; what the server says otherwise is written. The returned
 * function ends it.
 */
function waitFor(
  clock: Clock,
  ask: ReadAsPod,
  { pod }: ContainerStart,
  { waitsFor }: Behaviour,
  listener: ContainerListener,
  found: () => void,
): () => void {
  if (waitsFor === undefined) return () => undefined;
  let cancel: () => void = () => undefined;
  const poll = (): void => {
    const refused = ask(pod, waitsFor);
    if (refused === undefined) return found();
    listener.log(refused);
    cancel = clock.after(waitsFor.every, poll);
  };
  // Not before the caller knows the container.
  cancel = clock.after(0, poll);
  return () => cancel();
}

/** The script that a container is told to run, where all of it is played. */
function playOfContainer(
  { clock, cluster }: SimulationParts,
  start: ContainerStart,
  listener: ContainerListener,
): Play<number> | undefined {
  const { pod, spec } = start;
  const env = items(spec, 'env').map((entry): [string, string] => [
    text(entry, 'name'),
    text(maybe(entry, 'valueFrom.fieldRef'), 'fieldPath') === 'metadata.namespace'
      ? (pod.metadata.namespace ?? '')
      : text(entry, 'value'),
  ]);
  return playOf(
    wordsOf(spec, (word) => filledIn(word, start)),
    Object.fromEntries(env),
    { pod, client: cluster, now: () => clock.now(), log: (line) => listener.log(line) },
  );
}

/** Goes on with a play after each of its pauses. The returned function ends it. */
function follow(
  clock: Clock,
  play: Play<number>,
  listener: ContainerListener,
  ended: (status: number) => void,
): () => void {
  let cancel: () => void = () => undefined;
  const go = (): void => {
    try {
      const { done, value } = play.next();
      if (done === true) ended(value);
      else cancel = clock.after(value, go);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      listener.log(`simulated: ${error.message}; the container ends well`);
      ended(0);
    }
  };
  // Not before the caller knows the container.
  cancel = clock.after(0, go);
  return () => cancel();
}

function ownExit({ exitCode, reason, message }: Behaviour): ContainerExit {
  return {
    exitCode,
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    ...(message === undefined ? {} : { message }),
  };
}

/** An invalid annotation is reported in an Event of the pod; its containers then behave by default. */
function readBehaviour({ pod, spec, role, attempt }: ContainerStart): Behaviour {
  try {
    return behaviourOf(pod, text(spec, 'name'), role, attempt);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return behaviourOf({ ...pod, metadata: { ...pod.metadata, annotations: {} } }, text(spec, 'name'), role, attempt);
  }
}
