import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  actByScript,
  discoverByScript,
  runHealthScript,
  LuaError,
  type Action,
  type Arguments,
  type Impact,
  type LuaOptions,
} from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { differences } from './differences.js';
import { readText } from '../files/index.js';

export interface SuiteOptions {
  /** Run health checks with the libraries that a cluster gives them, not with all. */
  readonly sandbox: boolean;
  readonly now: () => number;
}

/** One case of a suite: its name, and why it failed. */
export interface SuiteResult {
  readonly name: string;
  readonly about: 'health' | 'discovery' | 'action';
  readonly failure?: string;
}

/**
 * Runs a folder in the layout of Argo CD's own checks: `GROUP/KIND/{health.lua, health_test.yaml, actions/,
 * testdata/}`.
 */
export function runSuite(folder: string, options: SuiteOptions): SuiteResult[] {
  let files: string[];
  try {
    files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  } catch (error) {
    throw new Fault('FILE_UNREADABLE', `cannot read folder ${folder}`, { where: folder, cause: error });
  }
  return [
    ...files
      .filter((file) => /(^|\/)health_test\.yaml$/.test(file))
      .flatMap((file) => runHealthTests(folder, dirname(file), options)),
    ...files
      .filter((file) => /(^|\/)action_test\.yaml$/.test(file))
      .flatMap((file) => runActionTests(folder, dirname(file), options)),
  ];
}

/** A field whatever the case of its letters: Go reads JSON so, and some suites rely on it. */
function field(object: JsonObject, name: string): Json | undefined {
  return (
    own(object, name) ??
    own(object, Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name)
  );
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function readSuite(file: string, list: string): JsonObject[] {
  const suite = readOneYaml(readText(file), { dialect: 'kubernetes', file });
  const tests = isObject(suite) ? field(suite, list) : undefined;
  return isArray(tests) ? tests.filter(isObject) : [];
}

function readObject(file: string): KubeObject {
  return readOneYaml(readText(file), { dialect: 'kubernetes', file }) as KubeObject;
}

/** The failure of a case, or undefined; a check that throws is a failure, not the end. */
function attempt(run: () => string | undefined): string | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof LuaError || error instanceof Fault) return error.message;
    throw error;
  }
}

function result(name: string, about: SuiteResult['about'], failure: string | undefined): SuiteResult {
  return failure === undefined ? { name, about } : { name, about, failure };
}

function runHealthTests(root: string, folder: string, { sandbox, now }: SuiteOptions): SuiteResult[] {
  const at = join(root, folder);
  return readSuite(join(at, 'health_test.yaml'), 'tests').map((test) => {
    const input = text(field(test, 'inputPath'));
    return result(
      `${folder}/${input}`,
      'health',
      attempt(() => {
        const expected = field(test, 'healthStatus');
        const wanted = isObject(expected)
          ? { status: text(field(expected, 'status')), message: text(field(expected, 'message')) }
          : { status: '', message: '' };
        const object = readObject(join(at, input));
        const health = runHealthScript(readText(scriptFor(root, folder, object)), object, { openLibs: !sandbox, now });
        const found = { status: health?.status ?? '', message: health?.message ?? '' };
        if (found.status !== wanted.status)
          return `expected ${wanted.status || 'no status'}, found ${found.status || 'no status'}: ${found.message}`;
        return found.message === wanted.message
          ? undefined
          : `expected the message ${JSON.stringify(wanted.message)}, found ${JSON.stringify(found.message)}`;
      }),
    );
  });
}

function runActionTests(root: string, folder: string, { now }: SuiteOptions): SuiteResult[] {
  const at = join(root, folder);
  const file = join(at, 'action_test.yaml');
  const discovery = join(at, 'discovery.lua');
  const discoveries = existsSync(discovery) ? readSuite(file, 'discoveryTests') : [];
  return [
    ...discoveries.map((test) => {
      const input = text(field(test, 'inputPath'));
      return result(
        `${folder}/discovery/${input}`,
        'discovery',
        attempt(() => {
          const actions = discoverByScript(readText(discovery), readObject(join(at, input)), { openLibs: true, now });
          return compareDiscovery(actions, field(test, 'result'));
        }),
      );
    }),
    ...readSuite(file, 'actionTests').map((test) => {
      const [input, action] = [text(field(test, 'inputPath')), text(field(test, 'action'))];
      return result(
        `${folder}/${action}/${input}`,
        'action',
        attempt(() => runActionTest(at, action, test, now)),
      );
    }),
  ];
}

/**
 * The script of the object's own kind, wherever the case lies: patterns (`_` for any text) only judge kinds without
 * one.
 */
function scriptFor(root: string, folder: string, object: KubeObject): string {
  const { group, kind } = gvkOf(object);
  const exact = join(root, group, kind, 'health.lua');
  return existsSync(exact) ? exact : join(root, folder, 'health.lua');
}

/** Every action found must be among the expected ones, as Argo CD's own runner asks. */
export function compareDiscovery(actions: readonly Action[], expected: Json | undefined): string | undefined {
  const wanted = (isArray(expected) ? expected.filter(isObject) : []).map((action) =>
    describe({
      name: text(action.name),
      disabled: action.disabled === true,
      displayName: text(action.displayName),
      iconClass: text(action.iconClass),
      params: isArray(action.params) ? action.params.filter(isObject).map((param) => ({ name: text(param.name) })) : [],
    }),
  );
  const strange = actions.map(describe).filter((action) => !wanted.includes(action));
  return strange.length === 0 ? undefined : `not expected: ${strange.join('; ')}; expected: ${wanted.join('; ')}`;
}

function describe({ name, disabled, displayName = '', iconClass = '', params }: Action): string {
  return [
    name,
    disabled ? 'disabled' : 'enabled',
    JSON.stringify(displayName),
    JSON.stringify(iconClass),
    ...params.map((param) => `takes ${param.name}`),
  ].join(' ');
}

function runActionTest(at: string, action: string, test: JsonObject, now: () => number): string | undefined {
  const script = readText(join(at, action, 'action.lua'));
  const object = readObject(join(at, text(field(test, 'inputPath'))));
  const options = (clock: () => number): LuaOptions => ({ openLibs: false, now: clock });
  return verifyAction((clock, given) => actByScript(script, object, given, options(clock)), object, { at, test, now });
}

export interface ActionTest {
  /** The folder of the test. */
  readonly at: string;
  readonly test: JsonObject;
  readonly now: () => number;
}

/** What a server or a controller writes: no action decides it. */
const SERVER_FIELDS = [
  'metadata.creationTimestamp',
  'metadata.generation',
  'metadata.resourceVersion',
  'metadata.selfLink',
  'metadata.uid',
];

/** Runs an action as a test describes it, and compares what it does with what the test expects. */
export function verifyAction(
  act: (clock: () => number, given: Arguments) => Impact[],
  object: KubeObject,
  { at, test, now }: ActionTest,
): string | undefined {
  const given = Object.fromEntries(
    Object.entries(isObject(test.parameters) ? test.parameters : {}).map(([name, value]) => [name, String(value)]),
  );
  const refusal = text(field(test, 'expectedErrorMessage'));
  if (refusal !== '') {
    const message = attempt(() => {
      act(now, given);
      return undefined;
    });
    return message === refusal
      ? undefined
      : `expected the error ${JSON.stringify(refusal)}, found ${JSON.stringify(message ?? 'none')}`;
  }
  const impacts = act(now, given);
  // What differs when the clock does is the time of the action, which no file can expect.
  const later = act(() => now() + 366 * 86_400_000 + 3_723_000, given);
  const expected = readExpected(join(at, text(field(test, 'expectedOutputPath'))));
  for (const [index, { resource }] of impacts.entries()) {
    const timed = differences(resource, later[index]?.resource ?? null);
    const isOthers = (path: string): boolean =>
      timed.includes(path) ||
      SERVER_FIELDS.includes(path) ||
      (/^status\b/.test(path) && equal(resource['status'], object['status']));
    const choices = expected.filter(
      (other) => other.apiVersion === resource.apiVersion && other.kind === resource.kind,
    );
    const found = choices.map((other) => differences(other, resource).filter((path) => !isOthers(path)));
    if (found.length === 0) return `no expected object is a ${resource.kind}`;
    if (!found.some((paths) => paths.length === 0)) return `differs at ${(found[0] ?? []).join(', ')}`;
  }
  return undefined;
}

/** One object, or a list of operations with an object each. */
function readExpected(file: string): KubeObject[] {
  const value = readOneYaml(readText(file), { dialect: 'kubernetes', file });
  if (!isArray(value)) return [value as KubeObject];
  return value
    .filter(isObject)
    .flatMap((each) => (isObject(each.unstructuredObj) ? [each.unstructuredObj as KubeObject] : []));
}
