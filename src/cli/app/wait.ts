import { Fault, writeYaml, type KubeObject } from '../../model/index.js';
import { prettyJson } from '../pretty-json.js';
import {
  APPLICATIONS,
  chooseApplications,
  findApplication,
  idOf,
  objectAt,
  qualifiedName,
  textAt,
  type ApplicationId,
} from './application-object.js';
import { follow } from './follow.js';
import { formatResources, urlOf } from './get.js';
import { readHealths } from './live-objects.js';
import { formatOperation, formatSummary } from './print-application.js';
import { askForRefresh } from './refresh.js';
import { parseChoices, type Choice } from './resource-choice.js';
import { resourceStates, StateStream } from './resource-states.js';
import type { AppFlags, AppSession } from './session.js';
import { readWindows } from './sync-windows.js';
import { isReached, operationStage, type Goal } from './wait-conditions.js';

const UNTOUCHED = 10_000;
const BETWEEN_LOOKS = 1000;

export interface WaitFlags extends AppFlags {
  readonly sync?: boolean;
  readonly health?: boolean;
  readonly operation?: boolean;
  readonly suspended?: boolean;
  readonly degraded?: boolean;
  readonly delete?: boolean;
  readonly hydrated?: boolean;
  readonly revision?: string;
  readonly resource?: readonly string[];
  readonly selector?: string;
  readonly timeout: number;
  readonly output: string;
}

/** `app wait`. */
export async function wait(session: AppSession, names: readonly string[], flags: WaitFlags): Promise<void> {
  const choices = parseChoices(flags.resource ?? []);
  for (const id of await chooseApplications(session, names, flags)) {
    await waitFor(session, await findApplication(session, id), {
      goal: goalOf(flags),
      choices,
      timeout: flags.timeout,
      output: flags.output,
    });
  }
}

/** Sync, health and operation where nothing is named. */
function goalOf(flags: WaitFlags): Goal {
  const given = {
    sync: flags.sync === true,
    health: flags.health === true,
    operation: flags.operation === true,
    suspended: flags.suspended === true,
    degraded: flags.degraded === true,
    delete: flags.delete === true,
    hydrated: flags.hydrated === true,
  };
  const named = Object.values(given).some(Boolean) ? given : { ...given, sync: true, health: true, operation: true };
  return { ...named, revision: flags.revision ?? '' };
}

export interface Waiting {
  readonly goal: Goal;
  readonly choices: readonly Choice[];
  /** Seconds; 0 for as long as it takes. */
  readonly timeout: number;
  readonly output: string;
  /** Whether to ask for a comparison once the operation has ended. */
  readonly mayRefresh?: boolean;
}

type Verdict =
  | { readonly kind: 'reached'; readonly application: KubeObject }
  | { readonly kind: 'gone' }
  | { readonly kind: 'worse'; readonly application: KubeObject; readonly from: string };

/**
 * Prints rows while the application changes, then how it is in the end. Gives it; undefined where its end was waited
 * for.
 */
export async function waitFor(
  session: AppSession,
  start: KubeObject,
  waiting: Waiting,
): Promise<KubeObject | undefined> {
  const id = idOf(start);
  const isForPeople = waiting.output !== 'json' && waiting.output !== 'yaml';
  const answer = await watchFor(session, start, waiting, isForPeople);
  if (answer !== 'timeout' && answer.kind === 'gone') {
    if (!waiting.goal.delete)
      throw new Fault('APPLICATION_UNKNOWN', `the application ${qualifiedName(id)} was deleted meanwhile`);
    session.world.stdout.write(`Application '${qualifiedName(id)}' deleted\n`);
    return undefined;
  }
  if (answer === 'timeout' && isForPeople)
    session.world.stdout.write('\nThis is the state of the app after wait timed out:\n');
  const last = answer === 'timeout' ? await findApplication(session, id) : answer.application;
  await printEnd(session, last, waiting, isForPeople);
  if (answer === 'timeout') throw timedOut(id, waiting.timeout);
  if (answer.kind === 'worse')
    throw new Fault(
      'OPERATION_FAILED',
      `application '${qualifiedName(id)}' health state has transitioned from ${answer.from} to Degraded`,
    );
  return last;
}

async function watchFor(
  session: AppSession,
  start: KubeObject,
  waiting: Waiting,
  isForPeople: boolean,
): Promise<Verdict | 'timeout'> {
  const { goal, choices } = waiting;
  const stream = new StateStream(
    (text) => {
      if (isForPeople) session.world.stdout.write(text);
    },
    session.world.now,
    session.world.stdout.isTTY === true ? session.world.stdout.columns : undefined,
  );
  const watchdog = new Watchdog(session);
  const decide = (application: KubeObject | undefined, healths?: ReadonlyMap<string, string>): Verdict | undefined => {
    if (application === undefined) return { kind: 'gone' };
    watchdog.saw(application);
    if (isReached(application, goal, choices, healths)) return { kind: 'reached', application };
    const [worse] = stream.show(resourceStates(application, choices, healths));
    if (textAt(application, 'status', 'operationState', 'phase') === 'Running')
      stream.tell(textAt(application, 'status', 'operationState', 'message'));
    if (goal.health && worse !== undefined) return { kind: 'worse', application, from: worse.before };
    if (waiting.mayRefresh === true) watchdog.nudge(application);
    return undefined;
  };
  try {
    const isKeptElsewhere =
      choices.length > 0 &&
      (goal.health || goal.suspended || goal.degraded) &&
      textAt(start, 'status', 'resourceHealthSource') === 'appTree';
    return isKeptElsewhere
      ? await look(session, start, decide, waiting.timeout)
      : await follow(session, start, decide, waiting.timeout);
  } finally {
    await watchdog.stop();
  }
}

/** Where the status does not tell the health of single resources, they are looked at one by one. */
async function look(
  session: AppSession,
  start: KubeObject,
  decide: (application: KubeObject | undefined, healths: ReadonlyMap<string, string>) => Verdict | undefined,
  timeout: number,
): Promise<Verdict | 'timeout'> {
  const late = new AbortController();
  const cancel =
    timeout > 0
      ? session.after(timeout * 1000, () => {
          late.abort();
        })
      : (): void => undefined;
  try {
    for (
      let application: KubeObject | undefined = start;
      ;
      application = await session.cluster.get(APPLICATIONS, idOf(start))
    ) {
      const answer = decide(
        application,
        application === undefined ? new Map() : await readHealths(session, application),
      );
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => {
        session.after(BETWEEN_LOOKS, resolve);
      });
      if (late.signal.aborted) return 'timeout';
    }
  } finally {
    cancel();
  }
}

/** Says when nobody takes an operation, and asks for a comparison after it. */
class Watchdog {
  #cancel: (() => void) | undefined;
  #asked: Promise<unknown> | undefined;

  constructor(readonly session: AppSession) {}

  saw(application: KubeObject): void {
    const isUntouched =
      objectAt(application, 'operation') !== undefined &&
      objectAt(application, 'status', 'operationState') === undefined;
    if (!isUntouched) this.#cancel?.();
    else
      this.#cancel ??= this.session.after(UNTOUCHED, () => {
        this.session.world.stderr.write(
          `no controller has begun the operation of ${qualifiedName(idOf(application))} yet: is argosy up, ` +
            'argosy controller or Argo CD running?\n',
        );
      });
  }

  nudge(application: KubeObject): void {
    if (operationStage(application) === 'settling')
      this.#asked ??= askForRefresh(this.session, application, 'normal').catch((error: unknown) => {
        this.session.world.stderr.write(
          `the application could not be refreshed: ${error instanceof Error ? error.message : String(error)}\n`,
        );
      });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#asked;
  }
}

async function printEnd(
  session: AppSession,
  application: KubeObject,
  { goal, output }: Waiting,
  isForPeople: boolean,
): Promise<void> {
  const { stdout, now } = session.world;
  if (!isForPeople) {
    stdout.write(output === 'json' ? prettyJson(application) : writeYaml(application));
    return;
  }
  const summary = formatSummary(
    application,
    await urlOf(session, application),
    await readWindows(session, application),
  );
  const operation = goal.operation ? formatOperation(application, now()) : '';
  stdout.write(`\n${summary}\n${operation}${await formatResources(session, application, output)}`);
}

function timedOut(id: ApplicationId, seconds: number): Fault {
  return new Fault(
    'WAIT_TIMED_OUT',
    `timed out (${seconds}s) waiting for app "${qualifiedName(id)}" match desired state`,
  );
}
