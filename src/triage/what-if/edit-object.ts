import { clone, drop, isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Edit } from '../findings/index.js';

type Path = Edit['path'];

export function valueAtSteps(object: Json | undefined, path: Path): Json | undefined {
  let here = object;
  for (const step of path) here = child(here, step);
  return here;
}

const MAX_DEPTH = 20;

/** Where a path that begins with `**` leads in an object. */
export function resolvePath(object: Json | undefined, path: Path): Path[] {
  if (path[0] !== '**') return [path];
  const rest = path.slice(1);
  const found: Path[] = [];
  const walk = (value: Json | undefined, here: Path): void => {
    if (here.length > MAX_DEPTH) return;
    if (valueAtSteps(value, rest) !== undefined) found.push([...here, ...rest]);
    if (isArray(value)) value.forEach((each, index) => walk(each, [...here, index]));
    else if (isObject(value)) for (const name of Object.keys(value)) walk(own(value, name), [...here, name]);
  };
  walk(object, []);
  return found;
}

/** The object after an edit; the same one where there is nothing to change. */
export function editObject<Of extends JsonObject>(object: Of, { path, change }: Pick<Edit, 'path' | 'change'>): Of {
  const copy: Of = clone(object);
  for (const place of resolvePath(object, path)) {
    const name = place.at(-1);
    const parent = name === undefined ? undefined : parentOf(copy, place.slice(0, -1), change.kind !== 'remove');
    if (name === undefined || parent === undefined) continue;
    write(parent, name, newValue(change, child(parent, name)));
  }
  return copy;
}

function newValue(change: Edit['change'], before: Json | undefined): Json | undefined {
  if (change.kind === 'remove') return undefined;
  return change.kind === 'set' ? change.value : [...listOf(before), change.value];
}

function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

function child(parent: Json | undefined, name: string | number): Json | undefined {
  if (isArray(parent)) return parent[Number(name)];
  return isObject(parent) ? own(parent, String(name)) : undefined;
}

function write(parent: Json, name: string | number, value: Json | undefined): void {
  if (isArray(parent)) {
    if (value === undefined) parent.splice(Number(name), 1);
    else parent[Number(name)] = value;
  } else if (isObject(parent)) {
    if (value === undefined) drop(parent, String(name));
    else put(parent, String(name), value);
  }
}

/** The parent of the last path step; missing objects on the path are created for writes. */
function parentOf(object: JsonObject, path: Path, isMade: boolean): Json | undefined {
  let here: Json = object;
  for (const step of path) {
    const next = child(here, step);
    if (next !== undefined && next !== null) {
      here = next;
      continue;
    }
    if (!isMade || !isObject(here)) return undefined;
    const made: JsonObject = {};
    put(here, String(step), made);
    here = made;
  }
  return here;
}
