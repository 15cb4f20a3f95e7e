import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isObject, objectAt, objectsAt, own, textAt, textsAt } from '../../model/json/index.js';
import { matchesLabels, type LabelOperator, type LabelRequirement } from '../../model/kubernetes/index.js';
import { clusterParams } from './clusters.js';
import { matrixParams, mergeParams } from './combine.js';
import { decisionParams } from './decisions.js';
import type { GenerateFacts } from './facts.js';
import type { TemplateFiller } from './template-filler.js';
import { gitParams } from './git.js';
import { listParams } from './list.js';
import { flatten, type Params } from './params.js';

/** What generators work with. */
export interface GeneratorContext {
  readonly facts: GenerateFacts;
  readonly filler: TemplateFiller;
}

/** More than any fleet has: two generators of a matrix multiply. */
const MAX_PARAMS = 20_000;

type Generate = (generator: JsonObject, bench: GeneratorContext, depth: number) => Params[] | Promise<Params[]>;

const KINDS: ReadonlyMap<string, Generate> = new Map<string, Generate>([
  ['list', (list, { filler }) => listParams(list, filler.isGo)],
  ['clusters', (clusters, { facts, filler }) => clusterParams(clusters, facts.clusters(), filler)],
  ['git', (git, { facts, filler }) => gitParams(git, facts, filler)],
  [
    'matrix',
    (matrix, bench, depth) =>
      matrixParams(
        matrix,
        (generator, params) => childParams('matrix', generator, bench, depth, params),
        bench.filler.isGo,
      ),
  ],
  [
    'merge',
    (merge, bench, depth) =>
      mergeParams(merge, (generator) => childParams('merge', generator, bench, depth), bench.filler.isGo),
  ],
  ['scmProvider', () => absent('scmProvider', 'the API of a git host')],
  ['pullRequest', () => absent('pullRequest', 'the API of a git host')],
  [
    'clusterDecisionResource',
    async (generator, { facts, filler }) =>
      decisionParams(generator, await facts.decisions(generator), facts.clusters(), filler.isGo),
  ],
  ['plugin', () => absent('plugin', 'a service of your own')],
]);

function absent(name: string, what: string): never {
  throw new Fault(
    'VALUE_INVALID',
    `generator ${name} queries ${what}, which is not supported: all Applications of this set stay unchanged`,
    { where: name },
  );
}

/**
 * What one entry of `generators` makes: parameters by the kind of generator, since each may bring a template of its
 * own.
 */
export async function generatorParams(
  generator: JsonObject,
  bench: GeneratorContext,
): Promise<{ readonly params: readonly Params[]; readonly template: JsonObject }[]> {
  const generated = [];
  for (const name of kindsOf(generator))
    generated.push({
      params: await paramsOf(generator, name, bench, 0),
      template: objectAt(generator, name, 'template') ?? {},
    });
  return generated;
}

/**
 * Those that an entry names. An entry that names none, or one that nobody knows, makes nothing: to take that for an
 * answer would delete Applications.
 */
function kindsOf(generator: JsonObject): string[] {
  const named = Object.keys(generator).filter((key) => key !== 'selector' && own(generator, key) !== null);
  const unknown = named.find((name) => !KINDS.has(name));
  if (unknown !== undefined)
    throw new Fault('VALUE_INVALID', `there is no generator "${unknown}": use ${[...KINDS.keys()].join(', ')}`, {
      where: 'spec.generators',
    });
  if (named.length === 0)
    throw new Fault('VALUE_INVALID', `an entry of generators has no generator: use ${[...KINDS.keys()].join(', ')}`, {
      where: 'spec.generators',
    });
  return named;
}

async function paramsOf(
  generator: JsonObject,
  name: string,
  bench: GeneratorContext,
  depth: number,
): Promise<Params[]> {
  const body = own(generator, name);
  const params = (await KINDS.get(name)?.(isObject(body) ? body : {}, bench, depth)) ?? [];
  if (params.length > MAX_PARAMS)
    throw new Fault(
      'RENDER_LIMIT',
      `generator ${name} produces ${params.length} sets of parameters, but at most ${MAX_PARAMS} are allowed`,
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
  bench: GeneratorContext,
  depth: number,
  params: Params = {},
): Promise<Params[]> {
  const filled = Object.keys(params).length === 0 ? generator : bench.filler.generator(generator, params);
  const [name = '', ...others] = kindsOf(filled);
  if (others.length > 0)
    throw new Fault(
      'VALUE_INVALID',
      `an entry inside ${parent} must have exactly one generator, but has ${[name, ...others].join(' and ')}`,
      { where: parent },
    );
  if (depth >= 1 && (name === 'matrix' || name === 'merge'))
    throw new Fault('VALUE_INVALID', `${name} is nested too deeply: only one combination inside another is allowed`, {
      where: parent,
    });
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
    ...objectsAt(selector, 'matchExpressions').map((expression): LabelRequirement => {
      const operator = OPERATORS.get(textAt(expression, 'operator'));
      if (operator === undefined)
        throw new Fault('VALUE_INVALID', `"${textAt(expression, 'operator')}" is not a valid label selector operator`, {
          where: 'selector',
        });
      return { key: textAt(expression, 'key'), operator, values: textsAt(expression, 'values') };
    }),
  ];
}
