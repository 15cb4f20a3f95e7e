import {
  createAssessor,
  readOverrides,
  runHealthScript,
  LuaError,
  type Assessor,
  type Catalogue,
} from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, type Json } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { Health } from '../../model/argo/index.js';
import { formatTable } from '../output/index.js';
import { readObjects, readText } from '../files/index.js';

export interface EvalFlags {
  readonly filename: readonly string[];
  readonly lua?: string;
  readonly openLibs?: boolean;
  readonly settings?: readonly string[];
  readonly output?: string;
}

interface Line {
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly by: string;
}

/** The verdict on every object of the files. Other objects of the same files serve as facts. */
export function evaluate(flags: EvalFlags, catalogue: Catalogue, now: () => number): string {
  const objects = readObjects(flags.filename);
  if (objects.length === 0) throw new Fault('USAGE', 'no objects in the files', { where: flags.filename.join(', ') });
  const judge =
    flags.lua === undefined
      ? byAssessor(flags, catalogue, objects, now)
      : byScript(flags.lua, flags.openLibs === true, now);
  const lines = objects.map((object) => lineOf(object, judge(object)));
  if (flags.output === 'json') return `${JSON.stringify(lines.length === 1 ? lines[0] : lines, null, 2)}\n`;
  if (flags.output === 'yaml') return writeYaml((lines.length === 1 ? lines[0] : lines) as unknown as Json);
  return formatTable(
    ['OBJECT', 'HEALTH', 'MESSAGE', ...(flags.output === 'wide' ? ['BY'] : [])],
    lines.map(({ kind, name, status, message, by }) => [
      `${kind}/${name}`,
      status,
      message.replaceAll('\n', ' '),
      ...(flags.output === 'wide' ? [by] : []),
    ]),
  );
}

type Assess = (object: KubeObject) => (Health & { readonly by: string }) | undefined;

function lineOf(object: KubeObject, verdict: ReturnType<Assess>): Line {
  return {
    kind: object.kind,
    name: object.metadata.name ?? '',
    status: verdict?.status ?? '',
    message: verdict?.message ?? (verdict === undefined ? 'no health check for this kind, so it never blocks' : ''),
    by: verdict?.by ?? '',
  };
}

function byScript(file: string, openLibs: boolean, now: () => number): Assess {
  const script = readText(file);
  return (object) => {
    try {
      const health = runHealthScript(script, object, { openLibs, now, elapsed: () => performance.now() });
      if (health !== undefined) return { ...health, by: file };
      throw new Fault(
        'CHECK_FAILED',
        `the check returned no status for ${object.kind}/${object.metadata.name ?? ''}: every path must ` +
          'return a table with a status',
        { where: file },
      );
    } catch (error) {
      if (error instanceof LuaError)
        throw new Fault(
          'CHECK_FAILED',
          `the check failed for ${object.kind}/${object.metadata.name ?? ''}: ${error.message}`,
          { where: `${file}${error.place.line === undefined ? '' : `:${error.place.line}`}`, cause: error },
        );
      throw error;
    }
  };
}

function byAssessor(
  { settings = [] }: EvalFlags,
  catalogue: Catalogue,
  objects: readonly KubeObject[],
  now: () => number,
): Assess {
  const data = readObjects(settings)
    .filter(({ kind }) => kind === 'ConfigMap')
    .flatMap((configMap) => (isObject(configMap['data']) ? [configMap['data']] : []));
  const overrides = readOverrides(Object.assign({}, ...data) as Record<string, Json>);
  const [problem] = overrides.problems;
  if (problem !== undefined) throw new Fault('VALUE_INVALID', problem.message, { where: problem.key });
  const assessor = createAssessor({ catalogue, overrides, now, elapsed: () => performance.now() });
  return (object) => assessor.assess(object, factsFor(assessor, object, objects));
}

function factsFor(assessor: Assessor, object: KubeObject, objects: readonly KubeObject[]): Record<string, KubeObject> {
  const found = assessor.requiredFacts(object).flatMap(({ fact, group, kind, name }) => {
    const match = objects.find(
      (other) => other.metadata.name === name && gvkOf(other).group === group && other.kind === kind,
    );
    return match === undefined ? [] : [[fact, match] as const];
  });
  return Object.fromEntries(found);
}
