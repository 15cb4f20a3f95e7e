import type { JsonObject } from '../../../src/model/json/index.js';
import { closures } from './closures.js';
import { coroutines } from './coroutines.js';
import type { Dice } from './dice.js';
import { errors, positions } from './errors.js';
import { Expressions } from './expressions.js';
import { formats } from './formats.js';
import { givenObject, givenObjects } from './given-objects.js';
import { loading } from './loading.js';
import { mathematics } from './mathematics.js';
import { inheritance, metatables } from './metatables.js';
import { objects } from './objects.js';
import { patterns, strings } from './strings.js';
import { Statements } from './statements.js';
import { tryExpression } from './prelude.js';
import { syntax } from './syntax.js';
import { sorting, tableLibrary } from './table-library.js';
import { conversions } from './conversions.js';
import { tableOrder, tables } from './tables.js';

export interface Topic {
  /** Needs more than package, base and table. */
  readonly libraries: boolean;
  make(dice: Dice): string[];
  /** What `obj` is. */
  object?(dice: Dice): JsonObject;
}

export const TOPICS = {
  expressions: { libraries: false, make: expressions },
  statements: {
    libraries: false,
    make: (dice) => {
      const statements = new Statements(dice);
      return dice.times(2, 4, () => statements.section()).flat();
    },
  },
  syntax: { libraries: false, make: syntax },
  conversions: { libraries: false, make: conversions },
  tables: { libraries: false, make: tables },
  'table order': { libraries: false, make: tableOrder },
  closures: { libraries: false, make: closures },
  metatables: { libraries: false, make: metatables },
  inheritance: { libraries: false, make: inheritance },
  errors: { libraries: false, make: errors },
  positions: { libraries: false, make: positions },
  coroutines: { libraries: true, make: coroutines },
  strings: { libraries: true, make: strings },
  patterns: { libraries: true, make: patterns },
  formats: { libraries: true, make: formats },
  'table library': { libraries: false, make: tableLibrary },
  sorting: { libraries: false, make: sorting },
  mathematics: { libraries: true, make: mathematics },
  loading: { libraries: false, make: loading },
  objects: { libraries: true, make: objects },
  'given objects': { libraries: true, make: givenObjects, object: givenObject },
} as const satisfies Record<string, Topic>;

function expressions(dice: Dice): string[] {
  const scope = { numbers: ['n1', 'n2', 'n3'], strings: ['s1', 's2'], tables: ['t1', 't2'], values: ['u', 'w'] };
  const made = new Expressions(dice, scope);
  const bare = new Expressions(dice, { numbers: [], strings: [], tables: [], values: [] });
  return [
    `local n1, n2, n3 = ${bare.number(0)}, ${bare.number(0)}, ${bare.number(0)}`,
    `local s1, s2 = ${bare.text(0)}, "${dice.between(-5, 20)}"`,
    `local t1, t2 = ${bare.table(2)}, {a = {b = 1, c = {}}, 10, 20, nil, 40}`,
    `local u, w = nil, ${bare.leaf()}`,
    ...dice.times(15, 30, () => tryExpression(made.any(3))),
  ];
}
