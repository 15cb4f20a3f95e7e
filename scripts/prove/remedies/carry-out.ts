import { setTimeout as pause } from 'node:timers/promises';
import { applyFixes, clusterRepair } from '../../../src/cli/repair/apply-fixes.js';
import type { Cluster } from '../../../src/cluster/index.js';
import { makePatches, type Checkout, type PatchSet } from '../../../src/control/index.js';
import { textAt } from '../../../src/model/json/index.js';
import { isSameCause, type Report, type ReportedCause, type Snapshot } from '../../../src/triage/index.js';
import type { FaultWorld } from '../../../world/faults/index.js';
import { buildSnapshot, runTriage, whatIf } from '../triage-fixes/apply-first-fix.js';
import { needsAPerson, readsInput, type CommandLine } from './command-line.js';

/** A world as somebody sees it at one moment. */
export type CollectedWorld = Omit<FaultWorld, 'label'>;

/** A world in which remedies are carried out: what is done to it has its consequences. */
export interface RemedyWorld {
  readonly cluster: Cluster;
  /** Of the administrator, for programs beside it. */
  readonly kubeconfig: string;
  /** A text about the world as it is seen, for the world as it is. */
  withRealUrl(text: string): string;
  /** Lets time pass until something has happened. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  play(minutes: number): Promise<void>;
  collect(): Promise<CollectedWorld>;
  /** The branches of its repositories, for `--repo`. */
  checkouts(): Checkout[];
  /** The files of each of them, by a name of it. */
  files(): ReadonlyMap<string, ReadonlySet<string>>;
  /** What `triage --fix` writes, applied and committed; says what was done, a line each. */
  commit(set: PatchSet): Promise<string[]>;
}

/** What became of one printed remedy. */
export interface RemedyResult {
  readonly cause: ReportedCause;
  /**
   * done: a machine carried it out, word for word. outside: it is done where no machine of the cluster reaches. person:
   * something in it only a person knows, or decides. withheld: triage itself says that it would not end the cause.
   */
  readonly outcome: 'done' | 'outside' | 'person' | 'withheld';
  readonly isGone: boolean;
  /** Applications, not among those of the cause, that were well before it and are not now. */
  readonly worse: readonly string[];
  /** Files that a commit had removed and that are there again, of applications that nobody wants any more. */
  readonly broughtBack: readonly string[];
  readonly done: readonly string[];
}

/** Long enough for the deadline of a rollout, and for whoever asks again after some minutes. */
const MINUTES = 8;
const DELIVERED = 1;
/** How much of the world's time passes in a look at a command that runs. */
const STEP_MINUTES = 1 / 60;

/** Carries out the remedies of a world's causes, in the order in which they are printed. */
export async function carryOutRemedies(
  world: CollectedWorld,
  going: RemedyWorld,
  shell: CommandLine,
  maxRemedies: number,
): Promise<RemedyResult[]> {
  const results: RemedyResult[] = [];
  let seen = world;
  while (results.length < maxRemedies) {
    const snapshot = buildSnapshot(seen);
    const report = runTriage(snapshot);
    const cause = report.causes.find(
      (each) =>
        each.severity !== 'P3' &&
        each.confidence !== 'lead' &&
        each.fix !== undefined &&
        !results.some((result) => isSameCause(result.cause, each)),
    );
    if (cause === undefined) return results;
    const result = await carryOut({ cause, report, snapshot }, going, shell);
    results.push(result);
    seen = await going.collect();
  }
  return results;
}

interface Task {
  readonly cause: ReportedCause;
  readonly report: Report;
  readonly snapshot: Snapshot;
}

async function carryOut(task: Task, going: RemedyWorld, shell: CommandLine): Promise<RemedyResult> {
  const { cause, snapshot } = task;
  const before = wellIn(snapshot);
  const files = going.files();
  const { outcome, done } = await doAsPrinted(task, going, shell);
  const blank = { cause, outcome, done, isGone: false, worse: [], broughtBack: [] };
  if (outcome !== 'done') return blank;
  await going.play(MINUTES);
  const after = buildSnapshot(await going.collect());
  const well = wellIn(after);
  return {
    ...blank,
    isGone: !runTriage(after).causes.some((each) => isSameCause(each, cause)),
    worse: [...before].filter((name) => !well.has(name) && !cause.reach.names.includes(name)),
    broughtBack: cause.rule === ORPHANED ? filesBeside(files, going.files()) : [],
  };
}

function filesBeside(before: ReturnType<RemedyWorld['files']>, after: ReturnType<RemedyWorld['files']>): string[] {
  return [...after].flatMap(([name, files]) => [...files].filter((file) => before.get(name)?.has(file) === false));
}

/** The cause of an application whose files a commit removed. */
const ORPHANED = 'A22';

/** First what is for git, then the commands; what is printed as an edit is what `triage --apply --yes` does. */
async function doAsPrinted(
  { cause, report, snapshot }: Task,
  going: RemedyWorld,
  shell: CommandLine,
): Promise<{ readonly outcome: RemedyResult['outcome']; readonly done: string[] }> {
  const { fix } = cause;
  if (fix === undefined || fix.where === 'outside') return { outcome: 'outside', done: [] };
  const trial = whatIf(snapshot, report);
  const [set] = makePatches([cause], snapshot, going.checkouts(), (_, repair) => trial.expect(cause, repair));
  const done: string[] = [];
  if (set !== undefined && set.patches.length > 0) {
    if (set.expected?.vanishes === false) return { outcome: 'withheld', done: [...set.expected.obstacles] };
    done.push(...(await going.commit(set)));
    await going.play(DELIVERED);
  }
  const commands = fix.steps?.map(({ command }) => command) ?? fix.commands;
  if (commands.some(readsInput)) return { outcome: 'person', done };
  const printed = commands.filter((command) => !needsAPerson(command));
  for (const command of printed) {
    const failed = await whilePlaying(going, shell.run(command, { KUBECONFIG: going.kubeconfig }));
    done.push(failed ?? command);
  }
  const repair = clusterRepair(fix);
  if (printed.length === 0 && repair.edits.length + repair.actions.length > 0) {
    if (!trial.expect(cause, repair).vanishes && done.length === 0) return { outcome: 'withheld', done };
    done.push(...(await applyWithYes(cause, going)));
  }
  return { outcome: done.length === 0 ? 'person' : 'done', done };
}

async function applyWithYes(cause: ReportedCause, going: RemedyWorld): Promise<string[]> {
  const said: string[] = [];
  const truly = JSON.parse(going.withRealUrl(JSON.stringify({ causes: [cause] }))) as Pick<Report, 'causes'>;
  await going.during(
    applyFixes(truly, going.cluster, {
      stdout: { write: (text) => said.push(text.trimEnd()) },
      confirm: () => Promise.resolve(true),
    }),
  );
  return said;
}

/** Programs beside the world live in real time; the world goes on in small steps while they run. */
async function whilePlaying<Result>(going: RemedyWorld, work: Promise<Result>): Promise<Result> {
  let isOver = false;
  void work.finally(() => (isOver = true));
  while (!isOver) {
    await going.play(STEP_MINUTES);
    await pause(25);
  }
  return work;
}

/** Applications that are as they should be. */
function wellIn({ objects }: Snapshot): Set<string> {
  return new Set(
    objects
      .filter(
        (object) =>
          object.kind === 'Application' &&
          textAt(object, 'status', 'sync', 'status') === 'Synced' &&
          textAt(object, 'status', 'health', 'status') === 'Healthy',
      )
      .map(({ metadata }) => metadata.name ?? ''),
  );
}
