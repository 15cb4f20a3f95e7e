import { sourcesOf } from '../../../model/argo/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../../model/kubernetes/index.js';
import { valueAtSteps, type Edit } from '../../../triage/index.js';
import { isAsWanted } from './candidates.js';
import { changedObjects, differingPaths, type Path } from './changed-objects.js';
import { fileText, NO_CHANGES, withChange, type Changes, type Checkout } from './checkout.js';
import type { PatchCause } from './patch-cause.js';
import { ApplicationRenderer, manifestOf, type ApplicationRender } from './render-applications.js';
import { ownersOf, type PatchContext } from './solve-edit.js';

/** What an earlier commit said: as changes of objects, and as whole files for where no change of a field does it. */
export interface Revert {
  readonly commit: string;
  readonly edits: readonly Edit[];
  readonly files?: RevertedFiles;
  /** Everything that the same applications read, for where one change needs another. */
  readonly whole?: () => RevertedFiles | undefined;
}

interface RevertedFiles {
  readonly changes: Changes;
  /** Objects that become otherwise by it. */
  readonly meant: ReadonlySet<string>;
}

/**
 * Where nobody can say what would be right, what a commit before said is: it is the latest one in which what is to be
 * changed was otherwise. Objects that came or went since, and applications that do not render any more, are files that
 * are put back.
 */
export function findRevert(cause: PatchCause, bench: PatchContext): Revert | undefined {
  const users = usersOf(cause, bench.renderer.objects);
  for (const checkout of bench.renderer.checkouts) {
    for (const tree of checkout.earlier ?? []) {
      const past: EarlierCommit = {
        checkout,
        commit: tree.commit,
        before: { ...checkout, tree },
        renderer: bench.renderer.with(checkout, tree),
      };
      const own = cause.objects.flatMap((object) => revertObject(object, cause.field, past, bench) ?? []);
      // What nobody ever delivered is named by somebody: he may have named another before.
      const found =
        own.length > 0 ? own : users.flatMap(({ object, field }) => revertObject(object, field, past, bench) ?? []);
      const files = found.flatMap((each) => each.files ?? []);
      const whole = (): RevertedFiles | undefined => mergeFiles(found.flatMap((each) => each.whole?.() ?? []));
      if (found.length > 0)
        return {
          commit: tree.commit,
          edits: found.flatMap(({ edits }) => edits),
          whole,
          ...(files.length === 0 ? {} : { files: mergeFiles(files) }),
        };
    }
  }
  return undefined;
}

function mergeFiles(all: readonly RevertedFiles[]): RevertedFiles {
  let changes = NO_CHANGES;
  for (const each of all)
    for (const [checkout, files] of each.changes)
      for (const [path, text] of files) changes = withChange(changes, checkout, path, text);
  return { changes, meant: new Set(all.flatMap(({ meant }) => [...meant])) };
}

interface EarlierCommit {
  readonly checkout: Checkout;
  readonly before: Checkout;
  readonly commit: string;
  readonly renderer: ApplicationRenderer;
}

function isApplication({ group, kind }: Key): boolean {
  return group === 'argoproj.io' && kind === 'Application';
}

function revertObject(object: Key, field: string, past: EarlierCommit, bench: PatchContext): Revert | undefined {
  for (const application of isApplication(object)
    ? bench.applications.filter(
        (each) => each.metadata.name === object.name && (each.metadata.namespace ?? '') === object.namespace,
      )
    : deliverersOf(object, past, bench)) {
    const [was, is] = [past.renderer.before(application), bench.renderer.before(application)];
    if (was === undefined) continue;
    const [old, now] = [
      manifestOf(was, object, application)?.object,
      is === undefined ? undefined : manifestOf(is, object, application)?.object,
    ];
    const state = { application, was, is, past, bench };
    const whole = (): RevertedFiles | undefined =>
      revertFiles(state, (after) => changedObjects(after, was).length === 0);
    if (is === undefined || isApplication(object)) {
      const files = revertFiles(
        state,
        (after) => changedObjects(after, was).length === 0 && after.manifests.size === was.manifests.size,
      );
      if (files !== undefined) return { commit: past.commit, edits: [], files };
      continue;
    }
    if (old === undefined && now === undefined) continue;
    if (old === undefined || now === undefined) {
      const files = revertFiles(
        state,
        (after) => (manifestOf(after, object, application) === undefined) === (old === undefined),
      );
      if (files !== undefined) return { commit: past.commit, edits: [], files, whole };
      continue;
    }
    const edits = differences(old, now, field).map((path): Edit => {
      const value = valueAtSteps(old, path);
      return { object, path, change: value === undefined ? { kind: 'remove' } : { kind: 'set', value } };
    });
    if (edits.length === 0) continue;
    const files = revertFiles(state, (after) =>
      edits.every(({ path, change }) => isAsWanted(manifestOf(after, object, application)?.object, path, change)),
    );
    return { commit: past.commit, edits, whole, ...(files === undefined ? {} : { files }) };
  }
  return undefined;
}

/** Whoever names what is not there, by the last step of the chain; for a pod that is whoever describes it. */
function usersOf(
  { chain, objects }: PatchCause,
  all: readonly KubeObject[],
): { readonly object: Key; readonly field: string }[] {
  const [user, root] = (chain ?? []).slice(-2);
  if (
    user === undefined ||
    root === undefined ||
    all.some((object) => objects.some((key) => keyText(key) === keyText(keyOf(object))))
  )
    return [];
  const named = all.filter(
    ({ kind, metadata }) =>
      user.object ===
      `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name ?? ''}`,
  );
  return named.map((object) => {
    const top = topOf(object, all);
    return { object: keyOf(top), field: top === object ? root.via : `spec.template.${root.via}` };
  });
}

function topOf(object: KubeObject, all: readonly KubeObject[]): KubeObject {
  const [reference] = object.metadata.ownerReferences ?? [];
  const owner =
    reference === undefined
      ? undefined
      : all.find(
          ({ kind, metadata }) =>
            kind === reference.kind &&
            metadata.name === reference.name &&
            metadata.namespace === object.metadata.namespace,
        );
  return owner === undefined || owner === object || owner.kind === 'Application' ? object : topOf(owner, all);
}

/** Who delivers an object now, or did so then. */
function deliverersOf(object: Key, past: EarlierCommit, bench: PatchContext): readonly KubeObject[] {
  const now = ownersOf(object, bench);
  return now.length > 0 ? now : ownersOf(object, { ...bench, renderer: past.renderer, byObject: new Map() });
}

/** What differs in the field that is to be changed; in the whole object where that says the same. */
function differences(old: KubeObject, now: KubeObject, field: string): Path[] {
  const all = differingPaths(old, now);
  const [prefix = ''] = field.split('[]');
  const beginning = prefix.split(/[.[\]]/).filter((step) => step !== '');
  const inside = all.filter((path) =>
    beginning.every((step, index) => path[index] === undefined || String(path[index]) === step),
  );
  return inside.length > 0 ? inside : all;
}

interface RevertInput {
  readonly application: KubeObject;
  readonly was: ApplicationRender;
  readonly is: ApplicationRender | undefined;
  readonly past: EarlierCommit;
  readonly bench: PatchContext;
}

/** A commit that removed every file of the folder meant it: the folder is not brought back. */
function isRemovedWhole({ application, was, past }: RevertInput): boolean {
  const folders = sourcesOf(application).flatMap(({ path }) =>
    typeof path === 'string' && path !== '' && path !== '.' ? [`${path.replace(/^\.?\/|\/$/g, '')}/`] : [],
  );
  const own = was.reads.filter(
    ({ checkout, path }) => checkout.url === past.checkout.url && folders.some((folder) => path.startsWith(folder)),
  );
  return own.length > 0 && own.every(({ path }) => fileText(past.checkout, path, NO_CHANGES) === undefined);
}

/** The one file that does it, or all that the application reads and that were otherwise. */
function revertFiles(input: RevertInput, isWanted: (after: ApplicationRender) => boolean): RevertedFiles | undefined {
  if (isRemovedWhole(input)) return undefined;
  const { application, was, is, past, bench } = input;
  const isOf = (checkout: Checkout): boolean =>
    checkout.url === past.checkout.url && checkout.revision === past.checkout.revision;
  const paths = [
    ...new Set([...was.reads, ...(is?.reads ?? [])].filter(({ checkout }) => isOf(checkout)).map(({ path }) => path)),
  ].sort();
  const differing = paths.filter(
    (path) => fileText(past.before, path, NO_CHANGES) !== fileText(past.checkout, path, NO_CHANGES),
  );
  const backed = (files: readonly string[]): Changes =>
    files.reduce(
      (changes, path) => withChange(changes, past.checkout, path, fileText(past.before, path, NO_CHANGES)),
      NO_CHANGES,
    );
  for (const files of [...differing.map((path) => [path]), ...(differing.length > 1 ? [differing] : [])]) {
    const after = bench.renderer.render(application, backed(files));
    if (after === undefined || !isWanted(after)) continue;
    const meant = new Set(is === undefined ? after.manifests.keys() : changedObjects(is, after).map(({ id }) => id));
    return { changes: backed(files), meant };
  }
  return undefined;
}
