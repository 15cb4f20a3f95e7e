import { describeKey, keyOf, keyText, type KubeObject } from '../../../model/kubernetes/index.js';
import { unifiedDiff } from '../../../diff/index.js';
import type { Addition, Edit, Expectation, Repair, Snapshot } from '../../../triage/index.js';
import { addObject } from './add-object.js';
import { changedObjects } from './changed-objects.js';
import { effectsOf } from './effects.js';
import { changedTree, fileText, NO_CHANGES, withChange, type Changes, type Checkout } from './checkout.js';
import type { PatchCause } from './patch-cause.js';
import { findRevert } from './find-revert.js';
import { ApplicationRenderer, deliverers } from './render-applications.js';
import { sourcesOf } from '../../../model/argo/index.js';
import { solve, type PatchContext } from './solve-edit.js';

export interface FilePatch {
  readonly checkout: Checkout;
  readonly file: string;
  readonly line: number;
  /** As `git apply` reads it. */
  readonly diff: string;
  /** Undefined where the file comes with it. */
  readonly before: string | undefined;
  /** Undefined where the file goes. */
  readonly after: string | undefined;
}

function fileDiff(file: string, before: string | undefined, after: string | undefined, context?: number): string {
  return unifiedDiff(after ?? '', before ?? '', {
    names: {
      live: before === undefined ? '/dev/null' : `a/${file}`,
      target: after === undefined ? '/dev/null' : `b/${file}`,
    },
    ...(context === undefined ? {} : { context }),
  });
}

/**
 * One file of a patch with the lines that git writes above it, for files that come and go too; with fewer lines around
 * a change where told.
 */
export function gitDiff(
  { file, before, after, diff }: Pick<FilePatch, 'file' | 'diff' | 'before' | 'after'>,
  context?: number,
): string {
  return (
    `diff --git a/${file} b/${file}\n` +
    `${modeLine(before, after)}${context === undefined ? diff : fileDiff(file, before, after, context)}`
  );
}

function modeLine(before: string | undefined, after: string | undefined): string {
  if (after === undefined) return 'deleted file mode 100644\n';
  return before === undefined ? 'new file mode 100644\n' : '';
}

/** All changes of git that end one cause. */
export interface PatchSet {
  readonly cause: PatchCause;
  readonly patches: readonly FilePatch[];
  /** How many applications were rendered before and after, and the fields that became otherwise. */
  readonly rendered: number;
  readonly changed: readonly string[];
  /** What became otherwise and was not meant to; empty is the proof. */
  readonly others: readonly string[];
  /** Objects whose files are not here, or that no change of a file reaches. */
  readonly unsolved: readonly string[];
  /** The commit that said it well, where what it said is put back. */
  readonly asIn?: string;
  /** What becomes of the objects of the cluster. */
  readonly repair: Repair;
  /** What triage says of the snapshot after it. */
  readonly expected?: Expectation;
}

/** What is to be expected of a repair of a cause. */
export type Expect = (cause: PatchCause, repair: Repair) => Expectation;

/** One edit may mean several places of an object. */
const MAX_PLACES = 10;

/**
 * Finds the files that say what is wrong and changes them; what works is proved by rendering before and after. Each set
 * comes on top of those before it. Where a repair can be tried on the snapshot, only one after which the cause is gone
 * is kept.
 */
export function makePatches(
  causes: readonly PatchCause[],
  snapshot: Pick<Snapshot, 'objects'>,
  checkouts: readonly Checkout[],
  expect?: Expect,
): PatchSet[] {
  const applications = snapshot.objects.filter(
    ({ kind, apiVersion }) => kind === 'Application' && apiVersion.startsWith('argoproj.io/'),
  );
  const bench: Omit<PatchContext, 'renderer'> = { byObject: deliverers(snapshot.objects), applications };
  let renderer = new ApplicationRenderer(checkouts, snapshot.objects);
  return causes.flatMap((cause) => {
    const { set, changes } = findPatch(cause, { ...bench, renderer }, expect);
    if (changes.size > 0)
      renderer = new ApplicationRenderer(
        renderer.checkouts.map((checkout) => ({ ...checkout, tree: changedTree(checkout, changes) })),
        snapshot.objects,
      );
    return set.patches.length + set.unsolved.length === 0 ? [] : [set];
  });
}

interface PatchAttempt {
  readonly set: PatchSet;
  readonly changes: Changes;
}

/** What the rule asks for, where a file says it; else what an earlier commit said. */
function findPatch(cause: PatchCause, bench: PatchContext, expect: Expect | undefined): PatchAttempt {
  const asked = patchSet(cause, cause.fix?.edits ?? [], bench, undefined, cause.fix?.adds);
  const tried = [asked];
  for (const each of attemptsFor(cause, asked, bench)) {
    if (each.set.patches.length === 0) continue;
    const expected = expect?.(cause, {
      ...each.set.repair,
      actions: [...each.set.repair.actions, ...(cause.fix?.actions ?? [])],
    });
    const set = { ...each, set: { ...each.set, ...(expected === undefined ? {} : { expected }) } };
    if (expected?.vanishes !== false) return set;
    tried.push(set);
  }
  // What would not help is not offered; why not is.
  const last = tried.at(-1) ?? asked;
  return last.set.expected === undefined
    ? last
    : {
        changes: NO_CHANGES,
        set: { ...last.set, patches: [], unsolved: [...last.set.unsolved, ...last.set.expected.obstacles] },
      };
}

/**
 * The rule first, unless it only guesses; then what was said before: the field, the file, all files of the application.
 */
function* attemptsFor(cause: PatchCause, asked: PatchAttempt, bench: PatchContext): Generator<PatchAttempt> {
  if (cause.fix?.isGuess !== true) yield asked;
  const back = isForGit(cause) ? findRevert(cause, bench) : undefined;
  if (back !== undefined) {
    const narrow = patchSet(cause, back.edits, bench, back.commit);
    if (narrow.set.unsolved.length === 0) yield narrow;
    for (const files of [back.files, back.whole?.()])
      if (files !== undefined)
        yield {
          changes: files.changes,
          set: buildPatchSet(cause, files.changes, bench, { asIn: back.commit, meant: files.meant }),
        };
    if (narrow.set.unsolved.length > 0) yield narrow;
  }
  yield asked;
}

/** What has its remedy in the cluster, or outside of it, gets no second one in git that says something else. */
function isForGit({ fix }: PatchCause): boolean {
  if (fix === undefined || fix.where === 'outside') return false;
  return fix.where === 'git' || (fix.edits ?? []).length + (fix.actions ?? []).length === 0;
}

function patchSet(
  cause: PatchCause,
  edits: readonly Edit[],
  bench: PatchContext,
  asIn?: string,
  adds: readonly Addition[] = [],
): PatchAttempt {
  const meant = new Set([
    ...edits.map(({ object }) => keyText(object)),
    ...adds.map(({ object }) => keyText(keyOf(object))),
  ]);
  let changes = NO_CHANGES;
  const lines = new Map<string, number>();
  const unsolved: string[] = [];
  const plain: Edit[] = [];
  for (const edit of edits) {
    for (let place = 0; place < MAX_PLACES; place++) {
      const found = solve(edit, changes, meant, bench);
      if (found === undefined) unsolved.push(describeKey(edit.object));
      if (found === undefined || found === 'done') break;
      if (found.isPlain === true && !plain.includes(edit)) plain.push(edit);
      // A file in which nothing is left goes.
      changes = withChange(changes, found.checkout, found.path, found.candidate.edited.text || undefined);
      lines.set(
        `${found.checkout.url} ${found.path}`,
        Math.min(lines.get(`${found.checkout.url} ${found.path}`) ?? Infinity, found.candidate.edited.line),
      );
    }
  }
  for (const add of changes.size === 0 ? [] : adds) {
    const added = addObject(add, changes, bench);
    if (added === undefined) unsolved.push(describeKey(keyOf(add.object)));
    else changes = added;
  }
  return {
    changes,
    set: buildPatchSet(cause, changes, bench, {
      meant,
      lines,
      unsolved,
      plain,
      ...(asIn === undefined ? {} : { asIn }),
    }),
  };
}

interface PatchDetails {
  readonly meant: ReadonlySet<string>;
  readonly asIn?: string;
  readonly lines?: ReadonlyMap<string, number>;
  readonly unsolved?: readonly string[];
  /** Edits of manifests that are applied as they are. */
  readonly plain?: readonly Edit[];
}

function buildPatchSet(
  cause: PatchCause,
  changes: Changes,
  bench: PatchContext,
  { meant, asIn, lines, unsolved, plain = [] }: PatchDetails,
): PatchSet {
  const patches = [...changes].flatMap(([checkout, files]) =>
    [...files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, after]): FilePatch => {
        const before = fileText(checkout, file, NO_CHANGES);
        return {
          checkout,
          file,
          before,
          after,
          line: lines?.get(`${checkout.url} ${file}`) ?? 1,
          diff: fileDiff(file, before, after),
        };
      }),
  );
  return {
    cause,
    patches,
    ...withPlain(prove(changes, meant, bench), plain),
    unsolved: [...new Set(unsolved)],
    ...(asIn === undefined ? {} : { asIn }),
  };
}

/** A manifest that is applied as it is changes its object by just what was edited. */
function withPlain<Proof extends ReturnType<typeof prove>>(proof: Proof, plain: readonly Edit[]): Proof {
  if (plain.length === 0) return proof;
  return {
    ...proof,
    changed: [...proof.changed, ...plain.map(({ object, path }) => `${describeKey(object)} ${path.join('.')}`)],
    repair: { ...proof.repair, edits: [...proof.repair.edits, ...plain] },
  };
}

/** A file that comes is read by nobody yet: it stands in the folder of an application. */
function hasFileOf(application: KubeObject, changes: Changes): boolean {
  const folders = sourcesOf(application).map(({ path }) =>
    typeof path === 'string' && path !== '' ? `${path.replace(/^\.?\/|\/$/g, '')}/` : undefined,
  );
  return [...changes.values()].some((files) =>
    [...files.keys()].some((file) => folders.some((folder) => folder !== undefined && file.startsWith(folder))),
  );
}

/** Renders every application that reads a changed file, before and after. */
function prove(
  changes: Changes,
  meant: ReadonlySet<string>,
  { renderer, applications }: PatchContext,
): Pick<PatchSet, 'rendered' | 'changed' | 'others' | 'repair'> {
  const [changed, others, repairs]: [string[], string[], Repair[]] = [[], [], []];
  let rendered = 0;
  for (const application of changes.size === 0 ? [] : applications) {
    const was = renderer.before(application);
    const after =
      was === undefined ||
      was.reads.some(({ checkout, path }) => changes.get(checkout)?.has(path) === true) ||
      hasFileOf(application, changes)
        ? renderer.render(application, changes)
        : was;
    if (after === was) continue;
    rendered++;
    if (after === undefined) {
      others.push(`Application ${application.metadata.name ?? ''} no longer renders`);
      continue;
    }
    repairs.push(effectsOf(was, after, renderer.objects, application));
    for (const { id, plainId, name, paths } of was === undefined ? [] : changedObjects(was, after))
      (meant.has(id) || meant.has(plainId) ? changed : others).push(...paths.map((path) => `${name} ${path}`));
    if (was === undefined) changed.push(`Application ${application.metadata.name ?? ''} renders again`);
  }
  return {
    rendered,
    changed: [...new Set(changed)].sort(),
    others: [...new Set(others)].sort(),
    repair: {
      edits: repairs.flatMap(({ edits }) => edits),
      adds: repairs.flatMap(({ adds }) => adds),
      actions: repairs.flatMap(({ actions }) => actions),
    },
  };
}
