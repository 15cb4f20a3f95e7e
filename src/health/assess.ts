import { gvkOf, type KubeObject } from '../model/kubernetes/index.js';
import { HOOK_FINALIZER, type Health } from '../model/argo/index.js';
import type { Catalogue, CatalogueEntry, Facts } from './catalogue/index.js';
import { LuaError, runHealthScript, type LuaOptions } from './lua/index.js';
import { healthOverride, NO_OVERRIDES, type Override, type Overrides } from './overrides.js';

export interface AssessorOptions extends Omit<LuaOptions, 'openLibs'> {
  readonly catalogue: Catalogue;
  readonly overrides?: Overrides;
}

/** A verdict, and where it comes from. */
export interface Assessment extends Health {
  /** The key of the override or the file of the catalogue that decided. */
  readonly by: string;
  /** The check itself failed: the verdict is Unknown, and Argo CD shows a ComparisonError. */
  readonly failed?: true;
}

/** A related object that helps to judge another. */
export interface FactReference {
  readonly fact: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export interface Assessor {
  /** The verdict on an object; undefined where nobody has an opinion on its kind. */
  assess(object: KubeObject, facts?: Facts): Assessment | undefined;
  /** Which related objects the check of this object would like to see. */
  requiredFacts(object: KubeObject): FactReference[];
}

/** Judges objects: by the administrator's scripts first, then by the catalogue. */
export function createAssessor({ catalogue, overrides = NO_OVERRIDES, ...lua }: AssessorOptions): Assessor {
  const checks = new Map<string, Check>();
  const checkOf = (group: string, kind: string): Check => {
    const key = `${group}/${kind}`;
    let check = checks.get(key);
    if (check === undefined) {
      check = { override: healthOverride(overrides, group, kind), entry: catalogue.find(group, kind) };
      checks.set(key, check);
    }
    return check;
  };
  return {
    assess(object, facts = {}) {
      if (isTerminating(object)) return { status: 'Progressing', message: 'Pending deletion', by: 'deletionTimestamp' };
      const { group, version, kind } = gvkOf(object);
      const { override, entry } = checkOf(group, kind);
      if (override?.health !== undefined)
        return byScript(override.health, object, override.key, { ...lua, openLibs: override.useOpenLibs });
      return entry === undefined ? undefined : byEntry(entry, object, version, facts, lua);
    },
    requiredFacts(object) {
      const { group, kind } = gvkOf(object);
      const { override, entry } = checkOf(group, kind);
      if (override !== undefined || entry === undefined) return [];
      return entry.needs.flatMap(({ fact, group: otherGroup, kind: otherKind, name }) => {
        const wanted = name(object);
        return wanted === undefined ? [] : [{ fact, group: otherGroup, kind: otherKind, name: wanted }];
      });
    },
  };
}

interface Check {
  readonly override: Override | undefined;
  readonly entry: CatalogueEntry | undefined;
}

/** Asked to go and not only kept for the end of its phase. */
function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(HOOK_FINALIZER);
}

function byEntry(
  entry: CatalogueEntry,
  object: KubeObject,
  version: string,
  facts: Facts,
  lua: Omit<LuaOptions, 'openLibs'>,
): Assessment | undefined {
  const { health, versions, file } = entry;
  if (health === undefined) return undefined;
  if (versions !== undefined && !versions.includes(version)) {
    return {
      status: 'Unknown',
      message: `the health of ${object.kind} is known for version ${versions.join(', ')}, not for ${version}`,
      by: file,
      failed: true,
    };
  }
  if (health.by === 'lua') return byScript(health.script, object, file, { ...lua, openLibs: true });
  const verdict = health.assess(object, facts);
  return verdict === undefined ? undefined : { ...verdict, by: file };
}

function byScript(script: string, object: KubeObject, by: string, options: LuaOptions): Assessment | undefined {
  try {
    const verdict = runHealthScript(script, object, options);
    return verdict === undefined ? undefined : { ...verdict, by };
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    return { status: 'Unknown', message: error.message, by, failed: true };
  }
}
