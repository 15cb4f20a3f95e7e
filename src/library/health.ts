/** The health of Kubernetes objects, as Argo CD shows it: by a catalogue of checks and by health.lua scripts. */
import { loadCatalogue } from '../control/index.js';
import { createAssessor, readOverrides, runHealthScript, LuaError, type Assessor } from '../health/index.js';
import { Fault } from '../model/faults/index.js';
import { gvkOf, type KubeObject } from '../model/kubernetes/index.js';
import { CATALOGUE } from '../package-folders.js';
import { toKubeObject } from './to-object.js';

export type { ArgosyError, KubernetesObject } from './types.js';

export type HealthStatus = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended' | 'Missing' | 'Unknown';

export interface Health {
  readonly status: HealthStatus;
  /** Why, in a sentence; undefined if there is nothing to say. */
  readonly message?: string | undefined;
}

/** A health, and the check that decided. */
export interface AssessedHealth extends Health {
  /** The file of the catalogue, or the key of the settings. */
  readonly by: string;
}

export interface HealthOptions {
  /** The data of argocd-cm: `resource.customizations.health.<group>_<Kind>` and the like come before the catalogue. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The time that checks see; the present by default. */
  readonly now?: () => Date;
}

export interface HealthChecker {
  /**
   * The health of an object; undefined for a kind that no check knows. Some checks read related objects, such as the
   * store of an ExternalSecret: they are found among `related` by group, kind, name and namespace.
   */
  assess(object: object, related?: readonly object[]): AssessedHealth | undefined;
}

/** Checks with the catalogue of this package, and with the settings of an Argo CD. */
export function createHealthChecker(options: HealthOptions = {}): HealthChecker {
  const overrides = readOverrides({ ...options.settings });
  const [wrong] = overrides.problems;
  if (wrong !== undefined) throw new Fault('VALUE_INVALID', wrong.message, { where: wrong.key });
  const assessor = createAssessor({
    catalogue: (catalogue ??= loadCatalogue(CATALOGUE)),
    overrides,
    now: clockOf(options),
    elapsed: () => performance.now(),
  });
  return {
    assess: (given, related = []) => {
      const object = toKubeObject(given);
      const health = assessor.assess(object, factsOf(assessor, object, related.map(toKubeObject)));
      return health === undefined ? undefined : { status: health.status, message: health.message, by: health.by };
    },
  };
}

let catalogue: ReturnType<typeof loadCatalogue> | undefined;
let checker: HealthChecker | undefined;

/** The health of one object by the catalogue; undefined for a kind that no check knows. */
export function assessHealth(object: object, related: readonly object[] = []): AssessedHealth | undefined {
  checker ??= createHealthChecker();
  return checker.assess(object, related);
}

export interface LuaHealthOptions extends Pick<HealthOptions, 'now'> {
  /** Opens the Lua libraries, as `resource.customizations.useOpenLibs` does; false by default. */
  readonly openLibs?: boolean;
}

/**
 * Runs a health.lua script of Argo CD on an object, in a sandbox with limits of time, steps and memory. A script that
 * fails or returns no status is an ArgosyError with the line.
 */
export function runHealthLua(script: string, object: object, options: LuaHealthOptions = {}): Health {
  try {
    const health = runHealthScript(script, toKubeObject(object), {
      openLibs: options.openLibs === true,
      now: clockOf(options),
      elapsed: () => performance.now(),
    });
    if (health !== undefined) return health;
  } catch (cause) {
    if (!(cause instanceof LuaError)) throw cause;
    const { line } = cause.place;
    throw new Fault('CHECK_FAILED', cause.message, { where: line === undefined ? '' : `line ${line}`, cause });
  }
  throw new Fault('CHECK_FAILED', 'the script returned no status: every path must return a table with a status');
}

function clockOf({ now }: Pick<HealthOptions, 'now'>): () => number {
  return now === undefined ? Date.now : () => now().getTime();
}

function factsOf(assessor: Assessor, object: KubeObject, related: readonly KubeObject[]): Record<string, KubeObject> {
  if (related.length === 0) return {};
  const found = assessor.requiredFacts(object).flatMap(({ fact, group, kind, name }) => {
    const match = related.find(
      (other) =>
        other.kind === kind &&
        gvkOf(other).group === group &&
        other.metadata.name === name &&
        [undefined, object.metadata.namespace].includes(other.metadata.namespace),
    );
    return match === undefined ? [] : [[fact, match] as const];
  });
  return Object.fromEntries(found);
}
