import {
  Fault,
  isObject,
  listAt,
  matchesLabels,
  objectAt,
  own,
  textAt,
  textsAt,
  type JsonObject,
  type LabelOperator,
  type LabelRequirement,
} from '../../../model/index.js';
import { clusterParams } from './clusters.js';
import { matrixParams, mergeParams } from './combine.js';
import { decisionParams } from './decisions.js';
import type { GenerateFacts } from './facts.js';
import type { Filling } from './filling.js';
import { gitParams } from './git.js';
import { listParams } from './list.js';
import { flatten, type Params } from './params.js';

/** What generators work with. */
export interface Workbench {
  readonly facts: GenerateFacts;
  readonly filling: Filling;
}

/** More than any fleet has: two generators of a matrix multiply. */
const MOST = 20_000;

type Make = (generator: JsonObject, bench: Workbench, depth: number) => Params[] | Promise<Params[]>;

const KINDS: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['list', (list, { filling }) => listParams(list, filling.isGo)],
  ['clusters', (clusters, { facts, filling }) => clusterParams(clusters, facts.clusters(), filling)],
  ['git', (git, { facts, filling }) => gitParams(git, facts, filling)],
  [
    'matrix',
    (matrix, bench, depth) =>
      matrixParams(
        matrix,
        (generator, params) => childParams('matrix', generator, bench, depth, params),
        bench.filling.isGo,
      ),
  ],
  [
    'merge',
    (merge, bench, depth) =>
      mergeParams(merge, (generator) => childParams('merge', generator, bench, depth), bench.filling.isGo),
  ],
  ['scmProvider', () => absent('scmProvider', 'the programming interface of a git host')],
  ['pullRequest', () => absent('pullRequest', 'the programming interface of a git host')],
  [
    'clusterDecisionResource',
    async (generator, { facts, filling }) =>
      decisionParams(generator, await facts.decisions(generator), facts.clusters(), filling.isGo),
  ],
  ['plugin', () => absent('plugin', 'a service of your own')],
]);

function absent(name: string, what: string): never {
  throw new Fault(
    'VALUE_INVALID',
    `the generator ${name} asks ${what}, which Argosy does not do: all Applications of this set stay as they are`,
    { where: name },
  );
}

/**
 * What one entry of `generators` makes: parameters by the kind of generator, since each may bring a template of its
 * own.
 */
export async function generatorParams(
  generator: JsonObject,
  bench: Workbench,
): Promise<{ readonly params: readonly Params[]; readonly template: JsonObject }[]> {
  const made = [];
  for (const name of kindsOf(generator))
    made.push({
      params: await paramsOf(generator, name, bench, 0),
      template: objectAt(generator, name, 'template') ?? {},
    });
  return made;
}

/**
 * Those that an entry names. An entry that names none, or one that nobody knows, makes nothing: to take that for an
 * answer would delete Applications.
 */
function kindsOf(generator: JsonObject): string[] {
  const named = Object.keys(generator).filter((key) => key !== 'selector' && own(generator, key) !== null);
  const unknown = named.find((name) => !KINDS.has(name));
  if (unknown !== undefined)
    throw new Fault('VALUE_INVALID', `there is no generator "${unknown}": choose ${[...KINDS.keys()].join(', ')}`, {
      where: 'spec.generators',
    });
  if (named.length === 0)
    throw new Fault(
      'VALUE_INVALID',
      `an entry of generators names no generator: choose ${[...KINDS.keys()].join(', ')}`,
      { where: 'spec.generators' },
    );
  return named;
}

async function paramsOf(generator: JsonObject, name: string, bench: Workbench, depth: number): Promise<Params[]> {
  const body = own(generator, name);
  const params = (await KINDS.get(name)?.(isObject(body) ? body : {}, bench, depth)) ?? [];
  if (params.length > MOST)
    throw new Fault(
      'RENDER_LIMIT',
      `the generator ${name} makes ${params.length} sets of parameters, and ${MOST} is the most`,
      { where: name },
    );
  const selector = objectAt(generator, 'selector');
  if (selector === undefined) return params;
  const requirements = requirementsOf(selector);
  return params.filter((each) => matchesLabels({ requirements, nothing: false }, flatten(each)));
}

/** A generator inside another. Only two combinations may stand in one another, and each child is one generator. */
async function childParams(
  parent: string,
  generator: JsonObject,
  bench: Workbench,
  depth: number,
  params: Params = {},
): Promise<Params[]> {
  const filled = Object.keys(params).length === 0 ? generator : bench.filling.generator(generator, params);
  const [name = '', ...others] = kindsOf(filled);
  if (others.length > 0)
    throw new Fault(
      'VALUE_INVALID',
      `a generator inside of ${parent} is one generator, and here are ${[name, ...others].join(' and ')}`,
      { where: parent },
    );
  if (depth >= 1 && (name === 'matrix' || name === 'merge'))
    throw new Fault(
      'VALUE_INVALID',
      `${name} stands inside of two others: one combination inside another is the most`,
      { where: parent },
    );
  return paramsOf(filled, name, bench, depth + 1);
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Parameters are no labels: any text may be asked for. */
function requirementsOf(selector: JsonObject): LabelRequirement[] {
  const labels = objectAt(selector, 'matchLabels') ?? {};
  return [
    ...Object.keys(labels).map((key): LabelRequirement => ({ key, operator: '=', values: [textAt(labels, key)] })),
    ...listAt(selector, 'matchExpressions').map((expression): LabelRequirement => {
      const operator = OPERATORS.get(textAt(expression, 'operator'));
      if (operator === undefined)
        throw new Fault('VALUE_INVALID', `"${textAt(expression, 'operator')}" is not a valid label selector operator`, {
          where: 'selector',
        });
      return { key: textAt(expression, 'key'), operator, values: textsAt(expression, 'values') };
    }),
  ];
}
