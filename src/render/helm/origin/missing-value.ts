import { Fault, type FaultCode } from '../../../model/faults/index.js';
import type { ChartInput } from '../prepare-chart.js';
import { nodeText, placeText as nodePlace } from '../template/parse/node-text.js';
import type { AnyNode, PipeNode, Tree } from '../template/parse/node.js';
import { TemplateError } from '../template/template-error.js';
import type { ValuePlace } from '../values/traced.js';
import { ChartValues } from './chart-values.js';
import { pathText } from './path-text.js';
import { TemplateIndex, type IndexedTemplate } from './template-index.js';
import { findTrail } from './template-nodes.js';
import { lookupsOf, scopeAt, type Lookup } from './value-lookups.js';
import { isEmptyValue, placeText } from './value-text.js';

/** One step of the way on which a template looked for a value. */
export type ValueStep =
  | { readonly kind: 'constant'; readonly text: string }
  | {
      readonly kind: 'value';
      /** In the values of the whole, as `--set` would write it. */
      readonly key: string;
      /** Below `.Values` of the template's own chart. */
      readonly path: readonly string[];
      readonly state: 'set' | 'empty' | 'unset';
      readonly place: ValuePlace | undefined;
      /** The first map on the way that is not there. */
      readonly absent: string | undefined;
      /** Whether the template stopped here. */
      readonly isFailed: boolean;
    };

export interface MissingValue {
  readonly steps: readonly ValueStep[];
  /** Where the values can be set, the strongest first, with the keys to write there. */
  readonly files: readonly { readonly file: string; readonly keys: readonly string[] }[];
}

/** A template that failed at a value, in Helm's words, with where the value was looked for below them. */
export class MissingValueFault extends Fault {
  readonly missing: MissingValue;

  constructor(code: FaultCode, message: string, options: { where: string; cause: unknown; missing: MissingValue }) {
    super(code, message, options);
    this.missing = options.missing;
  }
}

/** Adds to the fault of a template where it looked for the value; any other error is given back as it is. */
export function explainFailure(error: unknown, input: ChartInput, nameOf?: (path: string) => string): unknown {
  if (!(error instanceof Fault) || error.code !== 'TEMPLATE_FAILED' || !(error.cause instanceof TemplateError))
    return error;
  const missing = missingValue(error.cause, new ChartValues(input, nameOf === undefined ? undefined : { nameOf }));
  if (missing === undefined) return error;
  const text = `${error.message}\n${explanation(missing, error.message)}`;
  return new MissingValueFault(error.code, text, { where: error.where, cause: error.cause, missing });
}

interface Failure {
  /** The template that was executed; its chart decides what `.Values` is. */
  readonly outer: IndexedTemplate;
  readonly tree: Tree;
  readonly trail: readonly AnyNode[];
}

function missingValue(error: TemplateError, values: ChartValues): MissingValue | undefined {
  const book = new TemplateIndex(values.chart);
  const failure = findFailure(error, book);
  if (failure === undefined) return undefined;
  const lookups = lookupsAround(failure, book);
  const prefix = failure.outer.values;
  if (!lookups.some(({ kind }) => kind === 'value')) return undefined;
  const failed = failure.trail.at(-1);
  const steps = lookups.map((lookup) => stepOf(lookup, prefix, values, failed));
  const paths = lookups.flatMap((lookup) =>
    lookup.kind === 'value' && lookup.path.length > 0 ? [[...prefix, ...lookup.path]] : [],
  );
  return { steps: withoutRepeats(steps), files: filesFor(paths, values) };
}

const TEMPLATE = 'template: ';
const PLACE = /:(\d+):(\d+): executing /;
const EXPRESSION = /^"(?:[^"\\]|\\.)*" at <([^]*?)>: /;

/** Where a message says that a template failed, and the expression that did. */
function locationOf(
  message: string,
): { readonly name: string; readonly line: string; readonly column: string; readonly text: string } | undefined {
  const found = message.startsWith(TEMPLATE) ? PLACE.exec(message) : null;
  const expression = found === null ? null : EXPRESSION.exec(message.slice(found.index + found[0].length));
  if (found === null || expression === null) return undefined;
  return {
    name: message.slice(TEMPLATE.length, found.index),
    line: found[1] ?? '',
    column: found[2] ?? '',
    text: expression[1] ?? '',
  };
}

/** The innermost place of the error that is in a template of the chart. */
function findFailure(error: TemplateError, book: TemplateIndex): Failure | undefined {
  let found: Failure | undefined;
  let outer: IndexedTemplate | undefined;
  for (let at: TemplateError | undefined = error; at !== undefined; at = at.wrapped) {
    const { name = '', line = '', column = '', text = '' } = locationOf(at.message) ?? {};
    const file = book.file(name);
    if (file === undefined) continue;
    outer ??= file;
    const place = `${name}:${line}:${column}`;
    for (const tree of file.trees.values()) {
      const trail = findTrail(tree, (node) => nodeText(node) === text && nodePlace(node) === place);
      if (trail !== undefined) found = { outer, tree, trail };
    }
  }
  return found;
}

/**
 * Of the expression that failed; where it asks for no value, of the conditions that it stands under, the nearest first.
 */
function lookupsAround({ tree, trail }: Failure, book: TemplateIndex): Lookup[] {
  const pipes = trail.flatMap((node, index): PipeNode[] => {
    if (node.kind === 'pipe' && trail[index - 1]?.kind !== 'command' && trail[index - 1]?.kind !== 'chain')
      return [node];
    return (node.kind === 'if' || node.kind === 'with' || node.kind === 'range') && trail[index + 1] !== node.pipe
      ? [node.pipe]
      : [];
  });
  for (const pipe of pipes.toReversed()) {
    const end = trail.indexOf(pipe);
    const lookups = lookupsOf(
      pipe,
      scopeAt(tree, end < 0 ? trail : trail.slice(0, end + 1), (name) => book.tree(name)),
    );
    if (lookups.some(({ kind }) => kind === 'value')) return lookups;
  }
  return [];
}

function writtenState(value: Parameters<typeof isEmptyValue>[0]): 'empty' | 'set' {
  return isEmptyValue(value) ? 'empty' : 'set';
}

function stepOf(
  lookup: Lookup,
  prefix: readonly string[],
  values: ChartValues,
  failed: AnyNode | undefined,
): ValueStep {
  if (lookup.kind === 'constant') return lookup;
  const path = [...prefix, ...lookup.path];
  const value = values.valueAt(path);
  const missingAt = path.findIndex((_, index) => (values.valueAt(path.slice(0, index + 1)) ?? null) === null);
  return {
    kind: 'value',
    key: pathText(path),
    path: lookup.path,
    state: value === undefined ? 'unset' : writtenState(value),
    place: (values.originOf(path) ?? (missingAt < 0 ? undefined : values.originOf(path.slice(0, missingAt + 1))))
      ?.place,
    absent:
      missingAt >= prefix.length && missingAt < path.length - 1 ? pathText(path.slice(0, missingAt + 1)) : undefined,
    isFailed: lookup.node === failed,
  };
}

function withoutRepeats(steps: readonly ValueStep[]): ValueStep[] {
  const seen = new Set<string>();
  return steps.filter((step) => {
    const id = step.kind === 'value' ? `value ${step.key}` : `constant ${step.text}`;
    return !seen.has(id) && seen.add(id).size > 0;
  });
}

function filesFor(paths: readonly (readonly string[])[], values: ChartValues): MissingValue['files'] {
  const keys = new Map<string, string[]>();
  for (const path of paths) {
    for (const { file, key } of values.filesFor(path)) {
      const known = keys.get(file) ?? [];
      if (!known.includes(pathText(key))) known.push(pathText(key));
      keys.set(file, known);
    }
  }
  const order = values.files.map(({ file }) => file);
  return [...keys]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([file, inside]) => ({ file, keys: inside }));
}

/** Lines below Helm's own text. */
function explanation({ steps, files }: MissingValue, message: string): string {
  const width = Math.max(...steps.map((step) => (step.kind === 'value' ? step.key : step.text).length));
  const lines = steps.map(
    (step) => `    ${(step.kind === 'value' ? step.key : step.text).padEnd(width)}  ${stateText(step)}`,
  );
  const values = steps.filter((step) => step.kind === 'value');
  const keys = values.filter(({ state }) => state !== 'set').map(({ key }) => key);
  const places = files.map(({ file, keys: inside }) => {
    const isWhole = inside.every((key) => values.some((step) => step.key === key));
    return isWhole ? file : `${file} (as ${inside.join(', ')})`;
  });
  return [
    '  looked for, in this order:',
    ...lines,
    ...(message.includes('nil pointer') ? nilAdvice(values) : []),
    ...(keys.length === 0 ? [] : [`  can be set in ${[...places, `--set ${keys[0] ?? ''}=...`].join(', ')}`]),
  ].join('\n');
}

function stateText(step: ValueStep): string {
  if (step.kind === 'constant') return 'constant';
  const place = step.place === undefined ? '' : ` at ${placeText(step.place)}`;
  const stopped = step.isFailed ? '; the template stopped here' : '';
  switch (step.state) {
    case 'set':
      return `set${place}${stopped}`;
    case 'empty':
      return `empty${place}${stopped}`;
    case 'unset':
      return [
        step.place === undefined ? 'not set' : `removed by null${place}`,
        step.absent === undefined ? '' : `, ${step.absent} is missing`,
        stopped,
      ].join('');
  }
}

/** A missing map ends the chain even where an earlier value is set: Go looks at every part before it chooses. */
function nilAdvice(values: readonly (ValueStep & { readonly kind: 'value' })[]): string[] {
  const failed = values.find(({ isFailed, absent }) => isFailed && absent !== undefined);
  if (failed === undefined) return [];
  const [first = '', ...names] = failed.path;
  const safe = names.reduce((inner, name) => `(${inner}).${name}`, `.Values.${first}`);
  return [`  a missing map stops the template even where another value is set; write ${safe} to pass over it`];
}
