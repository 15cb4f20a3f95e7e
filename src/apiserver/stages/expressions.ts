import { Fault } from '../../model/faults/index.js';
import {
  CelFailure,
  CelIssue,
  compileCel,
  type CelProgram,
  DYN,
  TIMESTAMP,
  type CelType,
  type ObjectField,
  type CelValue,
} from '../cel/index.js';
import { StageError } from './stage-error.js';

/** What one evaluation may cost: far above any sensible condition, far below a noticeable pause. */
const BUDGET = 1_000_000;

/** The names that an expression may use. */
export type Variables = ReadonlyMap<string, CelType>;
/** Their values in one pass. */
export type Values = ReadonlyMap<string, CelValue>;

/** Where in a stage file something is written. */
export interface Place {
  readonly file: string;
  readonly stage: string;
  readonly field: string;
}

export const inside = (place: Place, field: string): Place => ({
  ...place,
  field: field.startsWith('[') || place.field === '' ? `${place.field}${field}` : `${place.field}.${field}`,
});

export function stageFault({ file, stage, field }: Place, why: string): Fault {
  const of = stage === '' ? '' : `stage ${JSON.stringify(stage)}: `;
  return new Fault('STAGE_INVALID', `${of}${field === '' ? '' : `${field}: `}${why}`, { where: file });
}

/** `self`, `now` and the refs known so far. A name that no ref has is refused when the stage is read. */
export function variablesWith(refs: readonly string[], more: readonly string[] = []): Variables {
  const fields = new Map<string, ObjectField>(refs.map((name) => [name, { property: name, type: DYN }]));
  return new Map<string, CelType>([
    ['self', DYN],
    ['now', TIMESTAMP],
    ['refs', { kind: 'object', name: 'refs', fields }],
    ...more.map((name): [string, CelType] => [name, DYN]),
  ]);
}

export function compileExpression(text: string, variables: Variables, place: Place): CelProgram {
  const program = compileCel(text, { variables });
  if (!(program instanceof CelIssue)) {
    TEXTS.set(program, text);
    return program;
  }
  // The compiler shows the line with a mark below; a sentence has room for what and where only.
  const [, at = '', what = program.message] = /^ERROR: <input>:(\d+:\d+): (.*)$/m.exec(program.message) ?? [];
  throw stageFault(place, `${what} (${JSON.stringify(text)} at ${at})`);
}

export function compileCondition(text: string, variables: Variables, place: Place): CelProgram {
  const program = compileExpression(text, variables, place);
  if (program.type.kind !== 'bool' && program.type.kind !== 'dyn')
    throw stageFault(place, `${JSON.stringify(text)} gives ${program.type.kind}; a condition gives bool`);
  return program;
}

/** How messages show an expression; the same text in several fields is one program. */
const TEXTS = new WeakMap<CelProgram, string>();

export function evaluate(program: CelProgram, values: Values): CelValue {
  const { result } = program.run(values, BUDGET);
  if (result instanceof CelFailure)
    throw new StageError(`${JSON.stringify(TEXTS.get(program) ?? '')} has no result: ${result.message}`);
  return result;
}

export function holds(program: CelProgram, values: Values): boolean {
  const result = evaluate(program, values);
  if (typeof result !== 'boolean') throw new StageError(`${JSON.stringify(TEXTS.get(program) ?? '')} gives no bool`);
  return result;
}
