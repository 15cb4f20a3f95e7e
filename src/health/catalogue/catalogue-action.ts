import { Fault } from '../../model/faults/index.js';
import { clone, drop, isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { compileMessage, textOf } from './message.js';
import { parsePath, readPath, type Segment } from './path.js';
import { compilePath, EntryError, onlyWords, type Scope } from './scope.js';
import { innerTest, requiredText, type Test } from './compile-test.js';
import type { Action, ActionParameter, Arguments, Impact } from './action.js';

/** An action of the catalogue: when it is offered, and what it does, by steps or by a Lua script of ours. */
export interface CatalogueAction {
  /** The action as it stands for an object; undefined where it makes no sense. */
  offer(object: KubeObject): Action | undefined;
  readonly effect:
    | { readonly by: 'steps'; run(object: KubeObject, given: Arguments, now: number): Impact[] }
    | { readonly by: 'lua'; readonly script: string };
}

const WORDS = ['displayName', 'icon', 'available', 'disabled', 'params', 'do', 'lua', 'post'];

/** Reads what an entry says under `actions`. */
export function readActions(
  actions: JsonObject,
  luaFile: (name: string) => string | undefined,
): Map<string, CatalogueAction> {
  return new Map(Object.keys(actions).map((name) => [name, readAction(name, own(actions, name), luaFile)]));
}

function readAction(
  name: string,
  said: Json | undefined,
  luaFile: (name: string) => string | undefined,
): CatalogueAction {
  const at = `actions.${name}`;
  if (!isObject(said)) throw new EntryError(at, 'must say what it does: do, lua or post');
  onlyWords(said, WORDS, at);
  const available = said.available === undefined ? undefined : innerTest(said.available, `${at}.available`);
  const disabled = said.disabled === undefined ? undefined : innerTest(said.disabled, `${at}.disabled`);
  const parameters = isArray(said.params)
    ? said.params.map((param, index) => readParameter(param, `${at}.params[${index}]`))
    : [];
  const face = {
    ...(said.displayName === undefined ? {} : { displayName: requiredText(said, 'displayName', at) }),
    ...(said.icon === undefined ? {} : { iconClass: requiredText(said, 'icon', at) }),
  };
  return {
    offer(object) {
      const scope: Scope = { object, facts: {} };
      if (available !== undefined && !available(scope)) return undefined;
      return {
        name,
        disabled: disabled?.(scope) ?? false,
        ...face,
        params: parameters.map((parameter) => parameter.offer(scope)),
      };
    },
    effect: readEffect(said, at, parameters, luaFile),
  };
}

interface Parameter {
  readonly name: string;
  offer(scope: Scope): ActionParameter;
  /** The value that the steps see, or a Fault that says what is wrong with the text. */
  read(text: string | undefined): Json;
}

function readParameter(said: Json, at: string): Parameter {
  if (!isObject(said)) throw new EntryError(at, 'must be an object with a name');
  onlyWords(said, ['name', 'number', 'default'], at);
  const name = requiredText(said, 'name', at);
  const standard =
    said.default === undefined ? undefined : compileMessage(requiredText(said, 'default', at), `${at}.default`);
  return {
    name,
    offer: (scope) => ({ name, ...(standard === undefined ? {} : { default: standard(scope) ?? '' }) }),
    read(text) {
      if (text === undefined || text === '') throw new Fault('ACTION_FAILED', `the action needs a value for ${name}`);
      if (said.number !== true) return text;
      const number = Number(text.trim() === '' ? Number.NaN : text);
      if (!Number.isInteger(number) || number < 0)
        throw new Fault('ACTION_FAILED', `invalid number: ${text}: ${name} must be a whole number of 0 or more`);
      return number;
    },
  };
}

/** What the steps can fill into values. */
interface StepInput {
  readonly scope: Scope;
  readonly values: ReadonlyMap<string, Json>;
  readonly now: number;
}

type ActionStep = (object: JsonObject, filling: StepInput) => void;

function readEffect(
  said: JsonObject,
  at: string,
  parameters: readonly Parameter[],
  luaFile: (name: string) => string | undefined,
): CatalogueAction['effect'] {
  if ([said.do, said.lua, said.post].filter((each) => each !== undefined).length !== 1)
    throw new EntryError(at, 'needs one of do, lua and post');
  if (said.post !== undefined) return readPost(said.post, `${at}.post`);
  if (said.lua !== undefined) {
    const name = requiredText(said, 'lua', at);
    const script = luaFile(name);
    if (script === undefined) throw new EntryError(`${at}.lua`, `there is no file ${name} beside the entry`);
    return { by: 'lua', script };
  }
  if (!isArray(said.do) || said.do.length === 0) throw new EntryError(`${at}.do`, 'must be a list of steps');
  const steps = said.do.map((step, index) => readStep(step, `${at}.do[${index}]`));
  return {
    by: 'steps',
    run(object, given, now) {
      const values = new Map(
        parameters.map((parameter) => [
          parameter.name,
          parameter.read(Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined),
        ]),
      );
      const changed = clone(object);
      for (const step of steps) step(changed, { scope: { object, facts: {} }, values, now });
      return [{ operation: 'patch', resource: changed }];
    },
  };
}

/** `{ subresource: NAME, kind: KIND }`: an object of that kind, with the name of the one acted on, is posted there. */
function readPost(said: Json, at: string): CatalogueAction['effect'] {
  if (!isObject(said)) throw new EntryError(at, 'must be { subresource: NAME, kind: KIND }');
  onlyWords(said, ['subresource', 'kind'], at);
  const [subresource, kind] = [requiredText(said, 'subresource', at), requiredText(said, 'kind', at)];
  return {
    by: 'steps',
    run({ apiVersion, metadata: { name = '', namespace } }) {
      const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
      return [{ operation: 'create', subresource, resource: { apiVersion, kind, metadata } }];
    },
  };
}

/**
 * `{ set: path, to: value }` or `{ remove: path }`, each with an optional `when` that looks at the object as it was.
 */
function readStep(said: Json, at: string): ActionStep {
  if (!isObject(said)) throw new EntryError(at, 'must be { set: path, to: value } or { remove: path }');
  onlyWords(said, ['set', 'to', 'remove', 'when'], at);
  const when: Test = said.when === undefined ? () => true : innerTest(said.when, `${at}.when`);
  const isRemoval = said.remove !== undefined;
  const word = isRemoval ? 'remove' : 'set';
  const path = parsePath(requiredText(said, word, at));
  if (path === undefined || !path.every((segment): segment is string => typeof segment === 'string'))
    throw new EntryError(`${at}.${word}`, 'must be a path of names');
  if (isRemoval)
    return (object, { scope }) => {
      if (when(scope)) remove(object, path);
    };
  const value = compileValue(said.to ?? null, `${at}.to`);
  // Annotations and labels are text, whatever was given.
  const isText = path[0] === 'metadata' && (path[1] === 'annotations' || path[1] === 'labels');
  return (object, filling) => {
    if (when(filling.scope)) set(object, path, isText ? textOf(value(filling)) : value(filling));
  };
}

/**
 * A literal; text may hold places: `{now}`, `{param.NAME}`, `{path}`. Text that is one place only keeps the type of its
 * value.
 */
function compileValue(to: Json, at: string): (filling: StepInput) => Json {
  if (typeof to !== 'string') return () => clone(to);
  const parts = to.split(/\{([^{}]*)\}/).map((part, index) => (index % 2 === 0 ? part : compilePlace(part, at)));
  const whole = parts.length === 3 && parts[0] === '' && parts[2] === '' ? parts[1] : undefined;
  if (typeof whole === 'function') return (filling) => whole(filling) ?? null;
  return (filling) => parts.map((part) => (typeof part === 'string' ? part : String(part(filling) ?? ''))).join('');
}

function compilePlace(text: string, at: string): (filling: StepInput) => Json | undefined {
  if (text === 'now') return ({ now }) => new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const segments = parsePath(text);
  if (segments?.[0] === 'param') return ({ values }) => readPath(values.get(segmentName(segments[1])), segments, 2);
  const read = compilePath(text, at);
  return ({ scope }) => read(scope);
}

function segmentName(segment: Segment | undefined): string {
  return typeof segment === 'string' ? segment : '';
}

function set(object: JsonObject, path: readonly string[], value: Json): void {
  let at = object;
  for (const name of path.slice(0, -1)) {
    const inner = own(at, name);
    if (isObject(inner)) at = inner;
    else {
      const made: JsonObject = {};
      put(at, name, made);
      at = made;
    }
  }
  put(at, path.at(-1) ?? '', value);
}

function remove(object: JsonObject, path: readonly string[]): void {
  const parent = path.length === 1 ? object : readPath(object, path.slice(0, -1));
  if (isObject(parent)) drop(parent, path.at(-1) ?? '');
}
