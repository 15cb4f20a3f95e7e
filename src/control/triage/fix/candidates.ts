import { isAlias, isCollection, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import { equal, isArray, isObject, own, type Json } from '../../../model/json/index.js';
import type { Key } from '../../../model/kubernetes/index.js';
import { valueAtSteps } from '../../../triage/index.js';
import { editYaml, openYaml, type Change, type EditedText, type PathSegment } from './edit-yaml.js';

/** A way to change one file that may have the wanted effect. */
export interface Candidate {
  readonly edited: EditedText;
  /** Small comes first: the manifest itself, then values that are named like the field, then lines of templates. */
  readonly order: number;
}

/** What a manifest has to be like afterwards. */
export interface WantedChange {
  readonly key: Key;
  readonly path: readonly PathSegment[];
  readonly change: Change;
  /** What stands there now. */
  readonly now: Json | undefined;
}

/** All ways to change a file towards what is wanted; which of them works is found by rendering. */
export function candidatesIn(text: string, wanted: WantedChange): Candidate[] {
  const documents = openYaml(text);
  if (documents === undefined) return templateLines(text, wanted);
  return documents.flatMap((document) => {
    const kind = isMap(document.contents) ? String(document.contents.get('kind') ?? '') : '';
    if (kind === wanted.key.kind) {
      const name = String(document.getIn(['metadata', 'name']) ?? '');
      const edited =
        wanted.key.name.endsWith(name) || wanted.key.name.startsWith(name)
          ? editYaml(text, document, wanted.path, wanted.change)
          : undefined;
      return edited === undefined ? [] : [{ edited, order: 0 }];
    }
    if (kind !== '') return [];
    return placesNamed(document.contents, wanted).flatMap(({ path, changes, order }) =>
      changes.flatMap((change, index) => {
        const edited = editYaml(text, document, path, change);
        return edited === undefined ? [] : [{ edited, order: order + index }];
      }),
    );
  });
}

/**
 * The document itself, or values that hold its name somewhere below them, the largest first: without one of them it may
 * not come.
 */
export function removalsIn(text: string, { kind, name }: Key): Candidate[] {
  const found: Candidate[] = [];
  for (const document of openYaml(text) ?? []) {
    if (isMap(document.contents) && document.contents.has('kind')) {
      const [start, , end] = document.range;
      const isMeant = document.getIn(['kind']) === kind && document.getIn(['metadata', 'name']) === name;
      if (isMeant)
        found.push({ edited: { text: orNothing(text.slice(0, start) + text.slice(end)), line: 1 }, order: 0 });
      continue;
    }
    const walk = (node: unknown, path: readonly PathSegment[]): boolean => {
      if (isScalar(node)) return node.value === name;
      if (isAlias(node) || !isCollection(node) || path.length > 20) return false;
      if (isSeq(node)) return node.items.map((item, index) => walk(item, [...path, index])).includes(true);
      if (!isMap(node)) return false;
      return node.items
        .map(({ key, value }) => {
          const here = [...path, isScalar(key) ? String(key.value) : ''];
          const isThere = walk(value, here);
          const edited = isThere ? editYaml(text, document, here, { kind: 'remove' }) : undefined;
          if (edited !== undefined) found.push({ edited, order: here.length });
          return isThere;
        })
        .includes(true);
    };
    walk(document.contents, []);
  }
  return found.sort((a, b) => a.order - b.order);
}

/** Comments and lines between documents are no content. */
function orNothing(text: string): string {
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('#') || line.startsWith('---'))
    ? ''
    : text;
}

interface Place {
  readonly path: readonly PathSegment[];
  readonly changes: readonly Change[];
  readonly order: number;
}

const MAX_PLACES = 40;

/** Values whose key is that of the field, or whose value is the present one. */
function placesNamed(contents: ParsedNode | null, wanted: WantedChange): Place[] {
  const found: Place[] = [];
  const last = wanted.path.findLast((step) => typeof step === 'string') ?? '';
  const walk = (node: unknown, path: readonly PathSegment[]): void => {
    if (found.length > MAX_PLACES || path.length > 20 || isAlias(node) || !isCollection(node)) return;
    if (isSeq(node)) node.items.forEach((item, index) => walk(item, [...path, index]));
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      const here = [...path, name];
      const changes = changesAt(value, wanted, name.toLowerCase() === last.toLowerCase());
      if (changes.length > 0) found.push({ path: here, changes, order: 10 * (name === last ? 1 : 3) + path.length });
      walk(value, here);
    }
  };
  walk(contents, []);
  return found;
}

function changesAt(value: unknown, { change, now }: WantedChange, isNamed: boolean): Change[] {
  if (change.kind === 'remove') return isNamed ? [change] : [];
  if (change.kind === 'add') {
    if (!isNamed || !isSeq(value)) return [];
    // An empty list hides what would be inherited: without it the inherited one comes back.
    return value.items.length === 0 ? [{ kind: 'remove' }, change] : [change];
  }
  if (!isScalar(value)) return isNamed && isMap(value) && value.items.length === 0 ? [{ kind: 'remove' }] : [];
  const isSame = now !== undefined && now !== null && typeof now !== 'object' && String(value.value) === String(now);
  return isNamed || isSame ? [change] : [];
}

/** A template that says it itself: a line with the key of the field and the present value. */
function templateLines(text: string, { path, change, now }: WantedChange): Candidate[] {
  const last = path.findLast((step) => typeof step === 'string') ?? '';
  if (change.kind === 'add' || (change.kind === 'set' && (typeof change.value === 'object' || typeof now === 'object')))
    return [];
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().replace(/^- /, '').replaceAll('"', '').trim();
    const value = line.slice(colon + 1).trim();
    if (colon < 0 || name !== last) return [];
    if (change.kind === 'set' && value.replace(/^["']|["']$/g, '') !== String(now)) return [];
    const put = change.kind === 'remove' ? [] : [line.replace(value, value.replace(String(now), String(change.value)))];
    return [
      {
        edited: { text: [...lines.slice(0, index), ...put, ...lines.slice(index + 1)].join('\n'), line: index + 1 },
        order: 50,
      },
    ];
  });
}

/** Whether an object is as it was wanted. */
export function isAsWanted(object: Json | undefined, path: readonly PathSegment[], change: Change): boolean {
  const value = valueAtSteps(object, path);
  if (change.kind === 'remove') return value === undefined;
  if (change.kind === 'set')
    return typeof change.value === 'object'
      ? equal(value, change.value)
      : value !== undefined && String(value) === String(change.value);
  return isArray(value) && value.some((item) => isLike(item, change.value));
}

/** An item says the same, if in another way: how a toleration compares may be left out. */
function isLike(item: Json, wanted: Json): boolean {
  if (!isObject(item) || !isObject(wanted)) return equal(item, wanted);
  return Object.keys(wanted).every(
    (name) =>
      name === 'operator' ||
      equal(own(item, name), own(wanted, name)) ||
      (name === 'value' && item.operator === 'Exists'),
  );
}
