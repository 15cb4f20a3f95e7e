import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  loadCatalogue,
  makePatches,
  openTriage,
  openWhatIf,
  type Checkout,
  type PatchSet,
} from '../../../src/control/index.js';
import { applyFixes, clusterRepair } from '../../../src/cli/repair/apply-fixes.js';
import { latestTrees } from '../../../src/cli/repair/latest-trees.js';
import { readYaml } from '../../../src/model/yaml/index.js';
import { splitApiVersion } from '../../../src/model/kubernetes/index.js';
import { TreeReader } from '../../../src/render/index.js';
import {
  isSameCause,
  SnapshotBuilder,
  type Expectation,
  type Report,
  type ReportedCause,
  type Snapshot,
} from '../../../src/triage/index.js';
import { withoutSimulation, type FaultWorld, type LiveWorld } from '../../../world/faults/index.js';

/** What became of a world after the fix of its first cause. */
export interface FixResult {
  /**
   * none: nothing was wrong, or no cause is sure. words: nothing of the fix can be done by a program. outside: it is
   * done elsewhere. withheld: the trial in memory said that it would not help.
   */
  readonly outcome: 'none' | 'words' | 'outside' | 'withheld' | 'applied';
  readonly cause: ReportedCause | undefined;
  readonly expected: Expectation | undefined;
  /** The finding is gone. */
  readonly isGone: boolean;
  /** Causes that were not there before. */
  readonly fresh: readonly string[];
  /** What was done, a line each. */
  readonly done: readonly string[];
}

const catalogue = loadCatalogue(join(import.meta.dirname, '../../../catalogue'));
export const runTriage = openTriage(catalogue, () => 0);
export const whatIf = openWhatIf(catalogue, () => 0);
/** Long enough for the deadline of a rollout, and for whoever asks again after some minutes. */
const MINUTES = 8;
/** Long enough for a commit to be delivered. */
const DELIVERED = 1;

/** What a snapshot folder of the world would give, without the way over files. */
export function buildSnapshot({ time, objects, events, logs }: Omit<FaultWorld, 'label'>): Snapshot {
  const builder = new SnapshotBuilder();
  for (const object of [...objects, ...events]) builder.add(object, 'the world');
  for (const { apiVersion, kind } of objects)
    builder.listing({
      group: splitApiVersion(apiVersion).group,
      kind: kind.toLowerCase(),
      namespace: '',
      listing: 'complete',
      because: '',
    });
  for (const { namespace, pod, container, isPrevious, text } of logs)
    builder.addLog({
      namespace,
      pod,
      container,
      previous: isPrevious,
      lines: text.split('\n').filter((line) => line !== ''),
    });
  return builder.build(Date.parse(time));
}

/** Looks at a world as anybody does, does what is said about its first cause, and looks again. */
export async function applyFirstFix(world: FaultWorld, going: LiveWorld): Promise<FixResult> {
  const snapshot = buildSnapshot(world);
  const report = runTriage(snapshot);
  const [cause] = report.causes.filter(
    ({ severity, confidence, fix }) => severity !== 'P3' && confidence === 'sure' && fix !== undefined,
  );
  const blank = { cause, expected: undefined, isGone: false, fresh: [], done: [] };
  if (cause === undefined) return { ...blank, outcome: 'none', cause: report.causes[0] };
  const trial = whatIf(snapshot, report);
  const [set] = makePatches([cause], snapshot, checkoutsOf(world, going), (_, repair) => trial.expect(cause, repair));
  const inCluster = cause.fix === undefined ? { edits: [], adds: [], actions: [] } : clusterRepair(cause.fix);
  const hasPatches = set !== undefined && set.patches.length > 0;
  const isInCluster = !hasPatches && inCluster.edits.length + inCluster.actions.length > 0;
  const expected = isInCluster ? trial.expect(cause, inCluster) : set?.expected;
  if (expected === undefined)
    return {
      ...blank,
      outcome: cause.fix?.where === 'outside' ? 'outside' : 'words',
      done: set?.unsolved.map((each) => `not found in git: ${each}`) ?? [],
    };
  if (!expected.vanishes)
    return {
      ...blank,
      outcome: 'withheld',
      expected,
      done: set?.repair.edits.map((edit) => JSON.stringify(edit)) ?? [],
    };
  const done = await apply(cause, report, set, going);
  await going.play(MINUTES);
  const after = runTriage(buildSnapshot(await going.collect()));
  const fresh = after.causes
    .filter((each) => each.severity !== 'P3' && !report.causes.some((other) => isSameCause(each, other)))
    .map(({ rule, title }) => `${rule} ${title}`);
  return {
    outcome: 'applied',
    cause,
    expected,
    isGone: !after.causes.some((each) => isSameCause(each, cause)),
    fresh,
    done,
  };
}

export function checkoutsOf(world: Omit<FaultWorld, 'label'>, going: LiveWorld): Checkout[] {
  return going.branches().flatMap(({ name }) => {
    const [tree, ...earlier] = latestTrees(going.folder, name, world.git.url);
    return tree === undefined ? [] : [{ url: world.git.url, revision: name, folder: going.folder, tree, earlier }];
  });
}

/**
 * A file that is again what it was has also the lines that stand for what cannot be simulated, such as the key that
 * something was sealed with.
 */
function withSimulationLines(
  after: string | undefined,
  { earlier }: Checkout,
  file: string,
  commit: string | undefined,
): string | undefined {
  const tree = earlier?.find((each) => each.commit === commit);
  const before = tree === undefined ? undefined : new TreeReader(tree);
  const text = before?.kind(file) === 'file' ? before.text(file) : undefined;
  return after !== undefined && text !== undefined && isDeepStrictEqual(parsedContent(after), parsedContent(text))
    ? text
    : after;
}

/** What a file means, in whatever order its fields stand; a template means what it says. */
function parsedContent(text: string): unknown {
  const plain = withoutSimulation(text);
  let documents: unknown[];
  try {
    documents = readYaml(plain, { dialect: 'kubernetes' }).map(({ value }) => value);
  } catch {
    return plain;
  }
  // Where all annotations were of the simulation, their key alone is left.
  return JSON.parse(
    JSON.stringify(documents, (key, value: unknown) => (key === 'annotations' && value === null ? undefined : value)),
  ) as unknown;
}

async function apply(
  cause: ReportedCause,
  report: Report,
  set: PatchSet | undefined,
  going: LiveWorld,
): Promise<string[]> {
  const done = set === undefined ? [] : await commitPatches(set, going);
  // What is done in the cluster comes when git is delivered: what is made again is made of what git says by then.
  if (done.length > 0) await going.play(DELIVERED);
  const truly = JSON.parse(
    going.withRealUrl(JSON.stringify({ causes: report.causes.filter(({ id }) => id === cause.id) })),
  ) as Pick<Report, 'causes'>;
  await going.during(
    applyFixes(truly, going.cluster, {
      stdout: { write: (text) => done.push(text.trimEnd()) },
      confirm: () => Promise.resolve(true),
    }),
  );
  return done;
}

/** What `triage --fix` writes, applied and committed; says what was done, a line each. */
export async function commitPatches({ patches, asIn, others }: PatchSet, going: LiveWorld): Promise<string[]> {
  const done: string[] = [];
  for (const branch of new Set(patches.map(({ checkout }) => checkout.revision))) {
    const own = patches.filter(({ checkout }) => checkout.revision === branch);
    await going.commit(
      branch,
      new Map(own.map(({ checkout, file, after }) => [file, withSimulationLines(after, checkout, file, asIn)])),
    );
    done.push(
      ...own.map(({ file, line, diff }) => `${branch}: ${file}:${line}\n${diff}`),
      ...others.map((each) => `beside: ${each}`),
    );
  }
  return done;
}
