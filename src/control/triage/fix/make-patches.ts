import { equal, isArray, isObject, keyText, own, type Json, type Key, type KubeObject } from '../../../model/index.js';
import { unifiedDiff } from '../../../diff/index.js';
import type { Edit, ReportedCause, Snapshot } from '../../../triage/index.js';
import { candidatesIn, isAsWanted, resolvePath, valueAt, type Candidate } from './candidates.js';
import { changedTree, fileText, withChange, yamlFiles, type Changes, type Checkout } from './checkout.js';
import { openYaml } from './edit-yaml.js';
import { ApplicationRenderer, deliverers, manifestOf, type ApplicationRender } from './render-applications.js';

export interface FilePatch {
  readonly checkout: Checkout;
  readonly file: string;
  readonly line: number;
  /** As `git apply` reads it. */
  readonly diff: string;
  readonly after: string;
}

/** What is to be ended, and how it is told. */
export type PatchCause = Pick<ReportedCause, 'id' | 'name' | 'rule' | 'title' | 'fix'>;

/** Everything that git has to say otherwise to end one cause. */
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
}

const NONE: Changes = new Map();
const MOST_TRIES = 40;

/**
 * Finds the files that say what is wrong and changes them; what works is proved by rendering before and after. Each set
 * comes on top of those before it.
 */
export function makePatches(causes: readonly PatchCause[], snapshot: Pick<Snapshot, 'objects'>, checkouts: readonly Checkout[]): PatchSet[] {
  const applications = snapshot.objects.filter(({ kind, apiVersion }) => kind === 'Application' && apiVersion.startsWith('argoproj.io/'));
  const bench: Omit<Bench, 'renderer'> = { byObject: deliverers(snapshot.objects), applications };
  let renderer = new ApplicationRenderer(checkouts, snapshot.objects);
  return causes.flatMap((cause) => {
    const edits = cause.fix?.edits ?? [];
    if (edits.length === 0) return [];
    const { set, changes } = patchSet(cause, edits, { ...bench, renderer });
    if (changes.size > 0) renderer = new ApplicationRenderer(renderer.checkouts.map((checkout) => ({ ...checkout, tree: changedTree(checkout, changes) })), snapshot.objects);
    return [set];
  });
}

interface Bench {
  readonly renderer: ApplicationRenderer;
  readonly byObject: ReadonlyMap<string, readonly KubeObject[]>;
  readonly applications: readonly KubeObject[];
}

function patchSet(cause: PatchCause, edits: readonly Edit[], bench: Bench): { readonly set: PatchSet; readonly changes: Changes } {
  const meant = new Set(edits.map(({ object }) => keyText(object)));
  let changes = NONE;
  const lines = new Map<string, number>();
  const unsolved: string[] = [];
  for (const edit of edits) {
    const found = solve(edit, changes, meant, bench);
    if (found === undefined) unsolved.push(nameOf(edit.object));
    else if (found !== 'done') {
      changes = withChange(changes, found.checkout, found.path, found.candidate.edited.text);
      lines.set(`${found.checkout.url} ${found.path}`, Math.min(lines.get(`${found.checkout.url} ${found.path}`) ?? Infinity, found.candidate.edited.line));
    }
  }
  const patches = [...changes].flatMap(([checkout, files]) => [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, after]): FilePatch => ({
    checkout, file, after, line: lines.get(`${checkout.url} ${file}`) ?? 1, diff: unifiedDiff(after, fileText(checkout, file, NONE) ?? '', { names: { live: `a/${file}`, target: `b/${file}` } }),
  })));
  return { changes, set: { cause, patches, ...prove(changes, meant, bench), unsolved } };
}

interface Solution {
  readonly checkout: Checkout;
  readonly path: string;
  readonly candidate: Candidate;
}

/** The first change that does what is wanted and nothing else; else the one with the fewest other effects. */
function solve(edit: Edit, changes: Changes, meant: ReadonlySet<string>, bench: Bench): Solution | 'done' | undefined {
  const owners = ownersOf(edit.object, bench);
  for (const application of owners) {
    const before = bench.renderer.before(application);
    const now = changes === NONE ? before : bench.renderer.render(application, changes);
    if (before === undefined || now === undefined) continue;
    const manifest = manifestOf(now, edit.object, application);
    if (manifest === undefined) continue;
    const paths = resolvePath(manifest.object, edit.path);
    const open = paths.filter((path) => !isAsWanted(manifest.object, path, edit.change));
    const [path] = open;
    if (path === undefined) return 'done';
    const best = tryAll({ edit, path, now: valueAt(manifest.object, path), application, render: now, changes, meant, bench });
    if (best !== undefined) return best;
  }
  return plainDocument(edit, changes, bench);
}

/** Who delivers an object: what their status says, else whoever renders it. */
function ownersOf(key: Key, { byObject, applications, renderer }: Bench): readonly KubeObject[] {
  const told = byObject.get(keyText(key));
  if (told !== undefined) return told;
  return renderer.checkouts.length === 0 ? [] : applications.filter((application) => {
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
  readonly bench: Bench;
}

function tryAll({ edit, path, now, application, render, changes, meant, bench }: Attempt): Solution | undefined {
  const files = new Map(render.reads.filter(({ path: file }) => /\.(ya?ml|tpl)$/.test(file) && !/(^|\/)(Chart|kustomization)\.ya?ml$/.test(file)).map((read) => [`${read.checkout.url} ${read.path}`, read]));
  const candidates = [...files.values()].flatMap((read) => candidatesIn(fileText(read.checkout, read.path, changes) ?? '', { key: edit.object, path, change: edit.change, now }).map((candidate) => ({ ...read, candidate })));
  let best: { readonly solution: Solution; readonly others: number } | undefined;
  for (const solution of candidates.sort((a, b) => a.candidate.order - b.candidate.order || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.candidate.edited.line - b.candidate.edited.line)).slice(0, MOST_TRIES)) {
    const tried = withChange(changes, solution.checkout, solution.path, solution.candidate.edited.text);
    const after = bench.renderer.render(application, tried);
    const manifest = after === undefined ? undefined : manifestOf(after, edit.object, application);
    if (after === undefined || manifest === undefined || !isAsWanted(manifest.object, path, edit.change)) continue;
    const others = changedObjects(render, after).filter(({ id }) => !meant.has(id)).length;
    if (others === 0) return solution;
    if (best === undefined || others < best.others) best = { solution, others };
  }
  return best?.solution;
}

/** An object that no application here renders, such as an Application itself: a file that has it as it is. */
function plainDocument(edit: Edit, changes: Changes, { renderer }: Bench): Solution | 'done' | undefined {
  for (const checkout of renderer.checkouts) {
    for (const path of yamlFiles(checkout)) {
      const text = fileText(checkout, path, changes) ?? '';
      if (!text.includes(edit.object.name) || !text.includes(edit.object.kind)) continue;
      const document = openYaml(text)?.find((each) => each.get('kind') === edit.object.kind && each.getIn(['metadata', 'name']) === edit.object.name);
      if (document === undefined) continue;
      const object = document.toJS() as Json;
      const way = resolvePath(object, edit.path).find((each) => !isAsWanted(object, each, edit.change));
      if (way === undefined) return 'done';
      const [candidate] = candidatesIn(text, { key: edit.object, path: way, change: edit.change, now: valueAt(object, way) }).filter(({ order }) => order === 0);
      if (candidate !== undefined) return { checkout, path, candidate };
    }
  }
  return undefined;
}

/** Renders every application that reads a changed file, before and after. */
function prove(changes: Changes, meant: ReadonlySet<string>, { renderer, applications }: Bench): Pick<PatchSet, 'rendered' | 'changed' | 'others'> {
  const [changed, others]: [string[], string[]] = [[], []];
  let rendered = 0;
  for (const application of changes.size === 0 ? [] : applications) {
    const before = renderer.before(application);
    if (before?.reads.some(({ checkout, path }) => changes.get(checkout)?.has(path) === true) !== true) continue;
    rendered++;
    const after = renderer.render(application, changes);
    if (after === undefined) {
      others.push(`Application ${application.metadata.name ?? ''} does not render any more`);
      continue;
    }
    for (const { id, name, paths } of changedObjects(before, after)) (meant.has(id) ? changed : others).push(...paths.map((path) => `${name} ${path}`));
  }
  return { rendered, changed: [...new Set(changed)].sort(), others: [...new Set(others)].sort() };
}

interface ChangedObject {
  readonly id: string;
  readonly name: string;
  readonly paths: readonly string[];
}

function changedObjects(before: ApplicationRender, after: ApplicationRender): ChangedObject[] {
  const ids = [...new Set([...before.manifests.keys(), ...after.manifests.keys()])].sort();
  return ids.flatMap((id) => {
    const [old, now] = [before.manifests.get(id)?.object, after.manifests.get(id)?.object];
    const some = now ?? old;
    if (some === undefined || (old !== undefined && now !== undefined && equal(old, now))) return [];
    const name = `${some.kind} ${some.metadata.namespace === undefined ? '' : `${some.metadata.namespace}/`}${some.metadata.name ?? ''}`;
    return [{ id, name, paths: old === undefined ? ['(new)'] : now === undefined ? ['(gone)'] : differingPaths(old, now, '') }];
  });
}

/** Fields that differ; a list counts as one. */
function differingPaths(before: Json, after: Json, path: string): string[] {
  if (isObject(before) && isObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
      const [a, b] = [own(before, name), own(after, name)];
      return a === undefined || b === undefined ? [`${path}.${name}`.replace(/^\./, '')] : differingPaths(a, b, `${path}.${name}`);
    });
  }
  if (isArray(before) && isArray(after) && before.length === after.length) return before.flatMap((each, index) => differingPaths(each, after[index] ?? null, `${path}[${index}]`));
  return equal(before, after) ? [] : [path.replace(/^\./, '')];
}

function nameOf({ kind, namespace, name }: Key): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
