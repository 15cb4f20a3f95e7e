import { Fault } from '../../model/faults/index.js';
import {
  isArray,
  isObject,
  own,
  parseJson,
  parsePointer,
  put,
  writeJson,
  type Json,
  type JsonObject,
} from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Difference, LAST_APPLIED } from '../fields/index.js';
import { storedSecret } from '../normalize/index.js';

export interface MaskOptions {
  /** `resource.sensitive.mask.annotations`: annotations of Secrets that are as secret as their data. */
  readonly annotations?: readonly string[];
}

const MASK = '++++++++';
const STEP = '++++';

/** Gives every distinct value of one key its own mask, so that equal and different can still be told apart. */
class Masks {
  readonly #byKey = new Map<string, Map<string, string>>();

  of(secret: string, key: string, value: Json): string {
    const name = `${secret}\0${key}`;
    let masks = this.#byKey.get(name);
    if (masks === undefined) this.#byKey.set(name, (masks = new Map<string, string>()));
    const text = typeof value === 'string' ? value : writeJson(value);
    let mask = masks.get(text);
    if (mask === undefined) masks.set(text, (mask = MASK + STEP.repeat(masks.size)));
    return mask;
  }
}

/**
 * Fields of a Secret that are none. Every other is masked: one that is misspelt holds what was meant for the right one.
 */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'type', 'immutable']);

type MaybeObject = KubeObject | undefined;

/** Whether an object is a Secret of the core group, whatever its version is called. */
function isSecret({ apiVersion, kind }: JsonObject): boolean {
  return kind === 'Secret' && typeof apiVersion === 'string' && !apiVersion.includes('/');
}

/**
 * The objects with the values of their Secrets masked, lists of objects included. Versions of one Secret that are given
 * together (target, live, predicted) show by the length of the mask which values are equal.
 */
export function maskSecrets<T extends MaybeObject>(objects: readonly T[], options: MaskOptions = {}): T[] {
  const masker = new Masker(options);
  for (const object of objects) if (object !== undefined) masker.learn(object);
  return objects.map((object) => (object === undefined ? object : (masker.object(object) as T)));
}

/** Differences of one object, masked as `maskSecrets` masks these versions of it. */
export function maskDifferences(
  differences: readonly Difference[],
  objects: readonly MaybeObject[],
  options: MaskOptions = {},
): Difference[] {
  const secret = objects.find((object) => object !== undefined && isSecret(object));
  if (secret === undefined) return [...differences];
  const masker = new Masker(options);
  for (const object of objects) if (object !== undefined) masker.learn(object);
  return differences.map((difference) => {
    const path = parsePointer(difference.pointer);
    const masked = (value: Json | undefined): Json | undefined =>
      value === undefined ? undefined : masker.part(identity(secret), path, value);
    const [target, live] = [masked(difference.target), masked(difference.live)];
    return { ...difference, ...(target === undefined ? {} : { target }), ...(live === undefined ? {} : { live }) };
  });
}

function identity({ metadata }: JsonObject): string {
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return `${typeof namespace === 'string' ? namespace : ''}/${typeof name === 'string' ? name : ''}`;
}

class Masker {
  readonly #masks = new Masks();
  readonly #annotations: ReadonlySet<string>;

  constructor({ annotations = [] }: MaskOptions) {
    this.#annotations = new Set(annotations);
  }

  /** Numbers the values in the order in which people read them: the objects first, what they remember after. */
  learn(object: JsonObject): void {
    if (isArray(object.items)) for (const item of object.items) if (isObject(item)) this.learn(item);
    if (isSecret(object)) this.#data(identity(object), stored(object).data);
  }

  object(object: JsonObject): JsonObject {
    const copy = isArray(object.items)
      ? { ...object, items: object.items.map((item) => (isObject(item) ? this.object(item) : item)) }
      : object;
    return isSecret(object) ? this.#secret(identity(object), copy) : copy;
  }

  #secret(id: string, object: JsonObject): JsonObject {
    const result = { ...stored(object) };
    for (const field of Object.keys(result)) {
      const value = own(result, field);
      if (value !== undefined && value !== null && !OPEN_FIELDS.has(field))
        put(result, field, this.part(id, [field], value));
    }
    if (isObject(result.metadata)) result.metadata = this.#metadata(id, result.metadata);
    return result;
  }

  #metadata(id: string, metadata: JsonObject): JsonObject {
    const { annotations } = metadata;
    return annotations === undefined || annotations === null
      ? metadata
      : { ...metadata, annotations: this.part(id, ['metadata', 'annotations'], annotations) };
  }

  /** A value at a path of a Secret, or of what contains the path. */
  part(id: string, path: readonly string[], value: Json): Json {
    const [first, second, third] = path;
    if (first === undefined) return isObject(value) ? this.#secret(id, value) : this.#masks.of(id, '', value);
    if (OPEN_FIELDS.has(first) && first !== 'metadata') return value;
    if (first !== 'metadata') return second === undefined ? this.#data(id, value) : this.#masks.of(id, second, value);
    if (second === undefined) return isObject(value) ? this.#metadata(id, value) : value;
    if (second !== 'annotations') return value;
    if (third !== undefined) return this.#annotation(id, third, value);
    if (!isObject(value)) return MASK;
    const result: JsonObject = {};
    for (const key of Object.keys(value)) put(result, key, this.#annotation(id, key, own(value, key) ?? null));
    return result;
  }

  /** Every value of `data`; where it is no map, all of it. */
  #data(id: string, data: Json | undefined): Json {
    if (!isObject(data)) return data === undefined || data === null ? null : MASK;
    const result: JsonObject = {};
    for (const key of Object.keys(data)) put(result, key, this.#masks.of(id, key, own(data, key) ?? ''));
    return result;
  }

  #annotation(id: string, key: string, value: Json): Json {
    if (key === LAST_APPLIED) return this.#annotations.has(key) ? MASK : this.#lastApplied(id, value);
    return this.#annotations.has(key) ? this.#masks.of(id, `annotation ${key}`, value) : value;
  }

  /** The annotation repeats the whole Secret; what cannot be read is masked whole. */
  #lastApplied(id: string, value: Json): Json {
    if (typeof value !== 'string') return MASK;
    try {
      const applied = parseJson(value);
      return isObject(applied) ? writeJson(this.#secret(id, applied)) : MASK;
    } catch (error) {
      if (error instanceof Fault) return MASK;
      throw error;
    }
  }
}

/** With `stringData` where the server puts it, so that equal values are equal. */
function stored(object: JsonObject): JsonObject {
  const { stringData, data } = object;
  if (!isObject(stringData) || (data !== undefined && data !== null && !isObject(data))) return object;
  return storedSecret(object);
}
