import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import { objectName, type Api, type ObjectName } from './api.js';
import type { Expectation } from './case.js';

/** Where a case plays. */
export interface CaseTarget {
  readonly api: Api;
  readonly app: ObjectName;
  /** The destination. */
  readonly namespace: string;
}

/** Compares what there is with what a case expects; each difference is one line. */
export async function compareWithExpectation(place: CaseTarget, expected: Expectation): Promise<string[]> {
  const app = await place.api.get(place.app);
  if (app === undefined)
    return expected.exists === false ? compareObjects(place, expected) : ['the application does not exist'];
  if (expected.exists === false)
    return [
      `the application still exists: ${brief(valueIn(app, 'status', 'conditions'))} ` +
        brief(valueIn(app, 'metadata', 'finalizers')),
    ];
  return [
    ...compareStatus(app, expected),
    ...compareResources(app, expected, place.namespace),
    ...compareResults(app, expected),
    ...compareConditions(app, expected),
    ...(expected.app === undefined ? [] : missingFields(app, expected.app, 'the application')),
    ...(await compareObjects(place, expected)),
    ...(await compareEvents(place, expected)),
  ];
}

function compareStatus(app: JsonObject, expected: Expectation): string[] {
  const wrong: string[] = [];
  const is = (what: string, want: Json | undefined, got: Json | undefined): void => {
    if (want !== undefined && want !== got) wrong.push(`${what} should be ${String(want)}, is ${brief(got)}`);
  };
  const operation = valueIn(app, 'status', 'operationState');
  const said = isObject(operation) ? operation.message : undefined;
  is('sync status', expected.sync, valueIn(app, 'status', 'sync', 'status'));
  is('health', expected.health, valueIn(app, 'status', 'health', 'status'));
  is('operation phase', expected.phase, isObject(operation) ? operation.phase : undefined);
  if (wrong.some((line) => line.startsWith('operation phase'))) wrong.push(`  its message: ${brief(said)}`);
  if (expected.message !== undefined && !String(said).includes(expected.message))
    wrong.push(`operation message should have "${expected.message}", is ${brief(said)}`);
  const retried = isObject(operation) && typeof operation.retryCount === 'number' ? operation.retryCount : 0;
  if (expected.retried !== undefined && retried < expected.retried)
    wrong.push(`should have been retried ${expected.retried} times, was ${retried}: ${brief(said)}`);
  const history = valueIn(app, 'status', 'history');
  if (expected.historyCount !== undefined)
    is('length of the history', expected.historyCount, isArray(history) ? history.length : 0);
  if (expected.deleting !== undefined)
    is('deletion requested', expected.deleting, valueIn(app, 'metadata', 'deletionTimestamp') !== undefined);
  return wrong;
}

function compareResources(
  app: JsonObject,
  { resources = {}, resourceCount }: Expectation,
  namespace: string,
): string[] {
  const listed = objects(valueIn(app, 'status', 'resources'));
  const wrong: string[] = [];
  if (resourceCount !== undefined && listed.length !== resourceCount)
    wrong.push(
      `${resourceCount} resources expected, is ` +
        listed.map((one) => `${String(one.kind)}/${String(one.name)}`).join(' '),
    );
  for (const [name, want] of Object.entries(resources)) {
    const wanted = objectName(name, namespace);
    const isNamed = (one: JsonObject): boolean =>
      one.kind === wanted.kind &&
      one.name === wanted.name &&
      (one.namespace === undefined ||
        one.namespace === wanted.namespace ||
        (name.split('/').length < 3 &&
          listed.filter((other) => other.kind === wanted.kind && other.name === wanted.name).length === 1));
    const found = listed.find(isNamed);
    if (want === null) {
      if (found !== undefined) wrong.push(`${name} should not be listed, is ${brief(found)}`);
      continue;
    }
    // Kinds without a health check are as good as healthy.
    const health = found === undefined ? undefined : (valueIn(found, 'health', 'status') ?? 'Healthy');
    // No status at all is the empty one.
    if (want.sync !== undefined && (found === undefined ? undefined : (found.status ?? '')) !== want.sync)
      wrong.push(`${name} should be ${want.sync}, is ${found === undefined ? 'not listed' : brief(found.status)}`);
    if (want.health !== undefined && health !== want.health)
      wrong.push(
        `${name} should be ${want.health}, is ${brief(health)}: ${brief(found && valueIn(found, 'health', 'message'))}`,
      );
  }
  return wrong;
}

/** Messages of results are parts of the real ones; other fields are equal. */
function compareResults(app: JsonObject, { results = [], resultCount }: Expectation): string[] {
  const listed = objects(valueIn(app, 'status', 'operationState', 'syncResult', 'resources'));
  const wrong: string[] = [];
  if (resultCount !== undefined && listed.length !== resultCount)
    wrong.push(`${resultCount} results expected, is ${brief(listed)}`);
  for (const want of results) {
    const fits = (one: JsonObject): boolean =>
      Object.entries(want).every(([key, value]) =>
        key === 'message'
          ? String(one.message).includes(String(value))
          : missingFields(own(one, key), value as Json, '').length === 0,
      );
    if (!listed.some(fits)) wrong.push(`no result is ${brief(want)}; there is ${brief(listed)}`);
  }
  return wrong;
}

function compareConditions(app: JsonObject, { conditions }: Expectation): string[] {
  if (conditions === undefined) return [];
  const listed = objects(valueIn(app, 'status', 'conditions'));
  const wanted = Object.entries(conditions);
  if (wanted.length === 0 && listed.length > 0) return [`no condition expected, is ${brief(listed)}`];
  return wanted.flatMap(([type, part]) => {
    const found = listed.filter((one) => one.type === type);
    if (part === null) return found.length === 0 ? [] : [`condition ${type} should not be there, is ${brief(found)}`];
    return found.some((one) => String(one.message).includes(part))
      ? []
      : [`condition ${type} should say "${part}", there is ${brief(listed)}`];
  });
}

async function compareObjects(
  { api, namespace }: CaseTarget,
  { objects: wanted = {}, not = {} }: Expectation,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, want] of Object.entries(wanted)) {
    const found = await findObject(api, objectName(name, namespace));
    if (want === null) {
      if (found !== undefined)
        wrong.push(
          `${name} should be gone, is ${brief({ metadata: found.metadata ?? null, status: found.status ?? null })}`,
        );
    } else if (found === undefined) wrong.push(`${name} does not exist`);
    else wrong.push(...missingFields(found, want, name));
  }
  for (const [name, unwanted] of Object.entries(not)) {
    const found = await api.get(objectName(name, namespace));
    if (found !== undefined && missingFields(found, unwanted, name).length === 0)
      wrong.push(`${name} should not have ${brief(unwanted)}`);
  }
  return wrong;
}

/** A name that ends in `*` is that of the first object whose name begins so. */
export async function findObject(api: Api, name: ObjectName): Promise<JsonObject | undefined> {
  if (!name.name.endsWith('*')) return api.get(name);
  const beginning = name.name.slice(0, -1);
  return (await api.list(name.kind, name.namespace)).find((object) =>
    String(valueIn(object, 'metadata', 'name')).startsWith(beginning),
  );
}

async function compareEvents({ api, app }: CaseTarget, { events = {} }: Expectation): Promise<string[]> {
  if (Object.keys(events).length === 0) return [];
  const listed = (await api.list('Event', app.namespace)).filter(
    (event) => valueIn(event, 'involvedObject', 'name') === app.name,
  );
  return Object.entries(events).flatMap(([reason, part]) =>
    listed.some((event) => event.reason === reason && String(event.message).includes(part))
      ? []
      : [
          `no event ${reason} says "${part}"; there are ` +
            listed.map((event) => `${String(event.reason)}: ${String(event.message)}`).join('; '),
        ],
  );
}

/**
 * What `want` has and `got` has not; a list must have as many items, or with `<some>` or `<none>` one or none of that
 * kind. `<any>` is any value, null is none.
 */
export function missingFields(got: Json | undefined, want: Json, where: string): string[] {
  if (want === '<any>') return got === undefined ? [`${where} is not there`] : [];
  if (want === null) return got === undefined || got === null ? [] : [`${where} should not be there, is ${brief(got)}`];
  if (isObject(want)) {
    const { '<some>': some, '<none>': none } = want;
    if (some !== undefined)
      return isArray(got) && got.some((item) => missingFields(item, some, where).length === 0)
        ? []
        : [`${where} has no ${brief(some)}, is ${brief(got)}`];
    if (none !== undefined)
      return isArray(got) && got.some((item) => missingFields(item, none, where).length === 0)
        ? [`${where} should not have ${brief(none)}, is ${brief(got)}`]
        : [];
    // What is not there has no fields, which is right where none is wanted.
    if (got !== undefined && !isObject(got)) return [`${where} is ${brief(got)}`];
    return Object.entries(want).flatMap(([key, value]) =>
      missingFields(got && own(got, key), value ?? null, `${where} ${key}`),
    );
  }
  if (isArray(want)) {
    if (!isArray(got) || got.length !== want.length) return [`${where} should be ${brief(want)}, is ${brief(got)}`];
    return want.flatMap((value, index) => missingFields(got[index], value, `${where} ${index}`));
  }
  return got === want ? [] : [`${where} should be ${brief(want)}, is ${brief(got)}`];
}

export function valueIn(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, name) => {
    if (isArray(inner)) return inner[Number(name)];
    return isObject(inner) ? own(inner, name) : undefined;
  }, value);
}

function objects(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function brief(value: Json | undefined): string {
  const json = typeof value === 'string' ? value : writeJson(value ?? null);
  const text = value === undefined ? 'nothing' : json;
  return text.length > 1_500 ? `${text.slice(0, 1_500)}...` : text;
}
