import { createAssessor, lintHealthScript, LuaError, runHealthScript, type Catalogue } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Health } from '../../model/argo/index.js';
import type { HealthEvalFinding, HealthEvalResponse } from '../../model/api/index.js';

/**
 * The health of an object by a check; without a check, by the catalogue. Texts as people type them: half-written
 * ones too.
 */
export function assessObject(
  objectText: string,
  lua: string,
  catalogue: Catalogue,
  now: () => number,
): HealthEvalResponse {
  const object = readObject(objectText);
  const assessor = createAssessor({ catalogue, now, elapsed: () => performance.now() });
  const tools = { assess: (each: KubeObject) => assessor.assess(each), now };
  if (typeof object === 'string')
    return noAssessment(object, lua.trim() === '' ? [] : lint(lua, { group: '', kind: '' }, tools));
  if (lua.trim() === '') {
    const assessment = assessor.assess(object);
    if (assessment === undefined)
      return noAssessment(`${object.kind} has no health check, so it never blocks a wave`, []);
    return { status: assessment.status, message: assessment.message ?? '', by: assessment.by, error: '', findings: [] };
  }
  const { group, kind } = gvkOf(object);
  const findings = lint(lua, { group, kind }, tools);
  try {
    const health = runHealthScript(lua, object, { openLibs: false, now, elapsed: () => performance.now() });
    if (health === undefined)
      return noAssessment('the check returned no status: every path must return a table with a status', findings);
    return { status: health.status, message: health.message ?? '', by: 'this check', error: '', findings };
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    return noAssessment(
      `${error.message}${error.place.line === undefined ? '' : ` (line ${error.place.line})`}`,
      findings,
    );
  }
}

function noAssessment(error: string, findings: readonly HealthEvalFinding[]): HealthEvalResponse {
  return { status: '', message: '', by: '', error, findings };
}

function lint(
  source: string,
  { group, kind }: { readonly group: string; readonly kind: string },
  { assess, now }: { readonly assess: (object: KubeObject) => Health | undefined; readonly now: () => number },
): HealthEvalFinding[] {
  const findings = lintHealthScript({
    source,
    name: 'check',
    group,
    kind,
    options: {
      reference: assess,
      evaluate: (script, object, { openLibs }) => runHealthScript(script, object, { openLibs, now }),
    },
  });
  return findings.map(({ rule, severity, message, hint, where }) => ({
    rule,
    severity,
    message,
    hint,
    line: where.line,
  }));
}

/** The object, or a sentence that says why there is none. */
function readObject(text: string): KubeObject | string {
  try {
    const value = readOneYaml(text, { dialect: 'kubernetes' });
    if (!isObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string')
      return 'not a Kubernetes object: apiVersion or kind is missing';
    return { ...value, metadata: isObject(value.metadata) ? value.metadata : {} } as KubeObject;
  } catch (error) {
    if (error instanceof Fault) return error.where === '' ? error.message : `${error.message} (${error.where})`;
    throw error;
  }
}
