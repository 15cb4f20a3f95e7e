import { compareText } from '../../../model/go/index.js';
import { keyText, type Key, type KubeObject } from '../../../model/kubernetes/index.js';
import type { Json } from '../../../model/json/index.js';
import { resolvePath, valueAtSteps, type Edit } from '../../../triage/index.js';
import { candidatesIn, isAsWanted, removalsIn, type Candidate } from './candidates.js';
import { changedObjects } from './changed-objects.js';
import { fileText, NO_CHANGES, withChange, yamlFiles, type Changes, type Checkout } from './checkout.js';
import { openYaml } from './edit-yaml.js';
import { manifestOf, type ApplicationRender, type ApplicationRenderer } from './render-applications.js';

/** What patches are made with. */
export interface PatchContext {
  readonly renderer: ApplicationRenderer;
  readonly byObject: ReadonlyMap<string, readonly KubeObject[]>;
  readonly applications: readonly KubeObject[];
}

const MAX_TRIES = 40;

export interface Solution {
  readonly checkout: Checkout;
  readonly path: string;
  readonly candidate: Candidate;
  /** A manifest that no application here renders: somebody applies it as it is. */
  readonly isPlain?: boolean;
}

/** The first change that does what is wanted and nothing else; else the one with the fewest other effects. */
export function solve(
  edit: Edit,
  changes: Changes,
  meant: ReadonlySet<string>,
  bench: PatchContext,
): Solution | 'done' | undefined {
  if (edit.path.length === 0) return solveRemoval(edit, changes, meant, bench);
  const owners = ownersOf(edit.object, bench);
  for (const application of owners) {
    const before = bench.renderer.before(application);
    const now = changes === NO_CHANGES ? before : bench.renderer.render(application, changes);
    if (before === undefined || now === undefined) continue;
    const manifest = manifestOf(now, edit.object, application);
    if (manifest === undefined) continue;
    const paths = resolvePath(manifest.object, edit.path);
    const open = paths.filter((path) => !isAsWanted(manifest.object, path, edit.change));
    const [path] = open;
    if (path === undefined) return 'done';
    const best = tryAll({
      edit,
      path,
      now: valueAtSteps(manifest.object, path),
      application,
      render: now,
      changes,
      meant,
      bench,
    });
    if (best !== undefined) return best;
  }
  return plainDocument(edit, changes, bench);
}

/** Values whose absence takes the object away, and nothing else. */
function solveRemoval(
  edit: Edit,
  changes: Changes,
  meant: ReadonlySet<string>,
  { renderer, ...bench }: PatchContext,
): Solution | 'done' | undefined {
  for (const application of ownersOf(edit.object, { renderer, ...bench })) {
    const now = renderer.render(application, changes);
    if (now === undefined) continue;
    if (manifestOf(now, edit.object, application) === undefined) return 'done';
    const reads = [
      ...new Map(
        now.reads
          .filter(({ path }) => /\.ya?ml$/.test(path))
          .map((read) => [`${read.checkout.url} ${read.path}`, read]),
      ).values(),
    ];
    for (const read of reads) {
      for (const candidate of removalsIn(fileText(read.checkout, read.path, changes) ?? '', edit.object)) {
        const after = renderer.render(
          application,
          withChange(changes, read.checkout, read.path, candidate.edited.text || undefined),
        );
        if (
          after !== undefined &&
          manifestOf(after, edit.object, application) === undefined &&
          changedObjects(now, after).every(({ id, plainId }) => meant.has(id) || meant.has(plainId))
        )
          return { ...read, candidate };
      }
    }
  }
  return undefined;
}

/** Who delivers an object: what their status says, else whoever renders it. */
export function ownersOf(key: Key, { byObject, applications, renderer }: PatchContext): readonly KubeObject[] {
  const known = byObject.get(keyText(key));
  if (known !== undefined) return known;
  return renderer.checkouts.length === 0
    ? []
    : applications.filter((application) => {
        const render = renderer.before(application);
        return render !== undefined && manifestOf(render, key, application) !== undefined;
      });
}

interface Attempt {
  readonly edit: Edit;
  readonly path: readonly (string | number)[];
  readonly now: Json | undefined;
  readonly application: KubeObject;
  readonly render: ApplicationRender;
  readonly changes: Changes;
  readonly meant: ReadonlySet<string>;
  readonly bench: PatchContext;
}

function tryAll({ edit, path, now, application, render, changes, meant, bench }: Attempt): Solution | undefined {
  const files = new Map(
    render.reads
      .filter(({ path: file }) => /\.(ya?ml|tpl)$/.test(file) && !/(^|\/)(Chart|kustomization)\.ya?ml$/.test(file))
      .map((read) => [`${read.checkout.url} ${read.path}`, read]),
  );
  const candidates = [...files.values()].flatMap((read) =>
    candidatesIn(fileText(read.checkout, read.path, changes) ?? '', {
      key: edit.object,
      path,
      change: edit.change,
      now,
    }).map((candidate) => ({ ...read, candidate })),
  );
  let best: { readonly solution: Solution; readonly others: number } | undefined;
  for (const solution of candidates
    .sort(
      (a, b) =>
        a.candidate.order - b.candidate.order ||
        compareText(a.path, b.path) ||
        a.candidate.edited.line - b.candidate.edited.line,
    )
    .slice(0, MAX_TRIES)) {
    const tried = withChange(changes, solution.checkout, solution.path, solution.candidate.edited.text);
    const after = bench.renderer.render(application, tried);
    const manifest = after === undefined ? undefined : manifestOf(after, edit.object, application);
    if (after === undefined || manifest === undefined || !isAsWanted(manifest.object, path, edit.change)) continue;
    const others = changedObjects(render, after).filter(
      ({ id, plainId }) => !meant.has(id) && !meant.has(plainId),
    ).length;
    if (others === 0) return solution;
    if (best === undefined || others < best.others) best = { solution, others };
  }
  return best?.solution;
}

/** An object that no application here renders, such as an Application itself: a file that has it as it is. */
function plainDocument(edit: Edit, changes: Changes, { renderer }: PatchContext): Solution | 'done' | undefined {
  for (const checkout of renderer.checkouts) {
    for (const path of yamlFiles(checkout)) {
      const text = fileText(checkout, path, changes) ?? '';
      if (!text.includes(edit.object.name) || !text.includes(edit.object.kind)) continue;
      const document = openYaml(text)?.find(
        (each) => each.get('kind') === edit.object.kind && each.getIn(['metadata', 'name']) === edit.object.name,
      );
      if (document === undefined) continue;
      const object = document.toJS() as Json;
      const way = resolvePath(object, edit.path).find((each) => !isAsWanted(object, each, edit.change));
      if (way === undefined) return 'done';
      const [candidate] = candidatesIn(text, {
        key: edit.object,
        path: way,
        change: edit.change,
        now: valueAtSteps(object, way),
      }).filter(({ order }) => order === 0);
      if (candidate !== undefined) return { checkout, path, candidate, isPlain: true };
    }
  }
  return undefined;
}
