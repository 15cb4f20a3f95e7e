import type { Interpreter, Outcome } from './analysis.js';
import { requireValue, type Use } from './nil-use.js';
import type { Node } from './parse-script.js';
import type { State } from './state.js';
import { lengthOf, openTables } from './tables.js';
import { decide, emptiness, isNil, type Decision } from './truth.js';
import { literal, NIL, present, TEXT, unknown, type Scope, type Value } from './value.js';

interface Site {
  readonly state: State;
  readonly node: Node;
  readonly scope: Scope;
}

type Builtin = (interpreter: Interpreter, args: readonly Value[], site: Site) => Outcome[];

/** Functions of the libraries whose effect on the rest of the script matters. */
const BUILTINS: Record<string, Builtin> = {
  error: () => [],
  assert: assertValue,
  tostring: (_interpreter, _args, { state }) => [{ state, value: TEXT }],
  tonumber: toNumber,
  type: typeOf,
  next: nextOf,
  'table.getn': (interpreter, args, site) => withArgument(interpreter, args, site, 'table.getn', lengthOf),
  'table.insert': insert,
  'table.sort': (interpreter, args, site) => withArgument(interpreter, args, site, 'table.sort', () => NIL),
  'table.concat': (interpreter, args, site) => withArgument(interpreter, args, site, 'table.concat', () => TEXT),
  require: (interpreter, args, site) => [
    {
      state: site.state,
      value: isText(args[0], 'os') ? { kind: 'builtin', name: 'safe os' } : anything(interpreter, site),
    },
  ],
  setmetatable: (_interpreter, args, { state }) => [{ state: openTables(state, [args[0]]), value: args[0] ?? NIL }],
  pcall: protectedCall,
  xpcall: protectedCall,
};

const TEXT_FUNCTIONS = [
  'string.format',
  'string.lower',
  'string.upper',
  'string.rep',
  'string.reverse',
  'string.sub',
  'string.gsub',
  'os.date',
  'safe os.date',
];
const NUMBER_FUNCTIONS = [
  'string.len',
  'os.time',
  'safe os.time',
  'math.floor',
  'math.ceil',
  'math.abs',
  'math.max',
  'math.min',
  'string.byte',
];
const FORBIDDEN = /^(?:safe os\.(?!time$|date$)|os\.(?!time$|date$|clock$|difftime$)|debug\.)/;

export function callBuiltin(interpreter: Interpreter, name: string, args: readonly Value[], site: Site): Outcome[] {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin !== undefined) return builtin(interpreter, args, site);
  if (FORBIDDEN.test(name)) reportForbidden(interpreter, name, site.node);
  if (name.startsWith('string.') && name !== 'string.format') {
    const wanted = withArgument(interpreter, args, site, name, () =>
      TEXT_FUNCTIONS.includes(name) ? TEXT : stringResult(interpreter, name, site),
    );
    return wanted;
  }
  if (TEXT_FUNCTIONS.includes(name)) return [{ state: site.state, value: TEXT }];
  if (NUMBER_FUNCTIONS.includes(name)) return [{ state: site.state, value: present(keyOf(interpreter, site), '') }];
  return [{ state: openTables(site.state, args), value: anything(interpreter, site) }];
}

function reportForbidden({ analysis }: Interpreter, name: string, node: Node): void {
  analysis.report('outside-sandbox', node, {
    severity: 'error',
    message:
      `\`${name.replace('safe ', '')}\` reaches outside the sandbox: a health check sees \`obj\` and nothing ` +
      'else, so this call fails.',
    hint: 'decide by the fields of `obj` alone',
  });
}

function keyOf({ analysis }: Interpreter, { node, scope }: Site): string {
  return `${analysis.idOf(node)}@${scope.calls}`;
}

function anything(interpreter: Interpreter, site: Site): Value {
  return unknown(keyOf(interpreter, site), interpreter.analysis.textOf(site.node));
}

function stringResult(interpreter: Interpreter, name: string, site: Site): Value {
  return NUMBER_FUNCTIONS.includes(name) ? present(keyOf(interpreter, site), '') : anything(interpreter, site);
}

function isText(value: Value | undefined, text: string): boolean {
  return value?.kind === 'literal' && value.value === text;
}

/** A function that refuses nil as its first argument. */
function withArgument(
  interpreter: Interpreter,
  args: readonly Value[],
  site: Site,
  callee: string,
  result: (value: Value, state: State) => Value,
): Outcome[] {
  const [value] = args;
  const use: Use = callee.startsWith('table.') ? { kind: 'iterate', iterator: callee } : { kind: 'argument', callee };
  if (value === undefined) return [];
  const node = firstArgument(site.node);
  const there = requireValue(value, use, { state: site.state, node, analysis: interpreter.analysis });
  if (there === undefined) return [];
  const key = keyOf(interpreter, site);
  return [{ state: there.withoutFacts(key), value: result(value, there) }];
}

function firstArgument(node: Node): Node {
  if (node.type === 'CallExpression') return node.arguments[0] ?? node;
  return node.type === 'MemberExpression' ? node.base : node;
}

function insert(interpreter: Interpreter, args: readonly Value[], site: Site): Outcome[] {
  return withArgument(interpreter, args, site, 'table.insert', () => NIL).map(({ state, value }) => {
    const opened = openTables(state, [args[0]]);
    const key = args[0]?.kind === 'table' ? `#${args[0].id}` : undefined;
    return {
      state:
        key === undefined ? opened : opened.withFact(key, { differs: new Set([0]), tests: new Map([['>0', true]]) }),
      value,
    };
  });
}

/** A number where the text is one; nil goes in and out. */
function toNumber(_interpreter: Interpreter, args: readonly Value[], { state }: Site): Outcome[] {
  const [value = NIL] = args;
  if (value.kind !== 'place')
    return [
      { state, value: value.kind === 'literal' && typeof value.value === 'number' ? value : unknown('tonumber', '') },
    ];
  const { place } = value;
  const fact = state.facts.get(place.key);
  if (fact?.nil === true) return [{ state, value: NIL }];
  const [key, text] = [`number ${place.key}`, `tonumber(${place.text})`];
  const isThere = fact?.nil === false || fact?.truthy === true || fact?.equals !== undefined;
  return [{ state, value: isThere ? present(key, text) : { kind: 'place', place: { ...place, key, text } } }];
}

function typeOf({ analysis }: Interpreter, args: readonly Value[], { state }: Site): Outcome[] {
  const [value = NIL] = args;
  if (value.kind === 'place') {
    const { place } = value;
    return isNil(place, state, analysis).map(({ state: after, truth }) =>
      truth
        ? { state: after, value: literal('nil') }
        : { state: after, value: present(`type ${place.key}`, `type(${place.text})`) },
    );
  }
  const names: Record<Value['kind'], string> = {
    nil: 'nil',
    literal: '',
    text: 'string',
    place: '',
    table: 'table',
    function: 'function',
    builtin: 'function',
  };
  return [{ state, value: literal(value.kind === 'literal' ? typeof value.value : names[value.kind]) }];
}

/** `next(x)` is nil exactly where x is empty. */
function nextOf(interpreter: Interpreter, args: readonly Value[], site: Site): Outcome[] {
  return withArgument(interpreter, args, site, 'next', () => NIL).flatMap(({ state }): Outcome[] => {
    const [value] = args;
    if (value?.kind !== 'place') return [{ state, value: anything(interpreter, site) }];
    const known = emptiness(value.place.key, state);
    const length = `#${value.place.key}`;
    const filled: Outcome = {
      state: state.withFact(length, { differs: new Set([0]) }),
      value: present(keyOf(interpreter, site), ''),
    };
    const empty: Outcome = {
      state: state.withFact(length, { equals: 0 }),
      value: { kind: 'nil', why: 'the table is empty' },
    };
    return known === undefined ? [filled, empty] : [known === 'filled' ? filled : empty];
  });
}

function assertValue({ analysis }: Interpreter, args: readonly Value[], { state }: Site): Outcome[] {
  const [value = NIL] = args;
  const holds = (decision: Decision): boolean => decision.truth;
  return decide({ state, value }, analysis)
    .filter(holds)
    .map((decision) => ({ state: decision.state, value }));
}

/** What goes wrong under pcall does not stop the script. */
function protectedCall(interpreter: Interpreter, args: readonly Value[], site: Site): Outcome[] {
  const [callee, ...rest] = args;
  const key = keyOf(interpreter, site);
  const failed: Outcome = { state: site.state, value: literal(false), rest: [TEXT] };
  if (callee?.kind !== 'function')
    return [{ state: site.state, value: unknown(key, ''), rest: [unknown(`${key} result`, '')] }];
  const passed = interpreter.analysis.silently(() => interpreter.call(callee, rest, site));
  return [
    failed,
    ...passed.map(({ state, value, rest: more = [] }) => ({ state, value: literal(true), rest: [value, ...more] })),
  ];
}
