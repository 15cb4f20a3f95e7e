import { writeJson, type Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ValueView, ValuesResponse } from '../../model/api/index.js';
import { pathText, valuePlaceText, type ValueOrigin } from '../../render/index.js';
import { type ReconcileContext, openReconciliation } from '../delivery/index.js';
import { requireAdmitted } from '../inspect/index.js';
import { traceValues } from '../manifests/index.js';

/** The values of an application's charts at the newest commits, each with the file and line that set it. */
export async function valuesOf(object: KubeObject, context: ReconcileContext): Promise<ValuesResponse> {
  const { application, clusterCache, targetRules } = await openReconciliation(
    requireAdmitted(object, context),
    context,
  );
  const traced = await traceValues(
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      sources: application.sources,
      destinationNamespace: targetRules.destinationNamespace,
      kubeVersion: clusterCache.kubeVersion,
      apiVersions: clusterCache.apiVersions,
    },
    context.renderer,
  );
  return { values: traced.flat().map(toValueView) };
}

const MASK = '++++++++';
const SECRET = /(?:password|passwd|passphrase|secret|token|credentials?|(?:api|private|access|encryption)[-_]?key)$/i;
const NAMES_ONE = /^(?:existing|use|has|create|enable)/i;

/** Whether a field is called as fields with secrets are. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !NAMES_ONE.test(name);
}

/** Charts take passwords as values: a text whose name says so is masked. */
export function maskValue(path: readonly string[], value: Json): Json {
  return typeof value === 'string' && value !== '' && isSecretName(path.at(-1) ?? '') ? MASK : value;
}

function formatValue(path: readonly string[], value: Json): string {
  const masked = maskValue(path, value);
  return masked === MASK ? MASK : writeJson(masked);
}

function toValueView({ path, value, removed, place, shadowed }: ValueOrigin): ValueView {
  return {
    path: pathText(path),
    value: removed ? '' : formatValue(path, value),
    origin: place === undefined ? '' : valuePlaceText(place),
    lost: shadowed.map((one) => ({ value: formatValue(path, one.value), origin: valuePlaceText(one.place) })),
  };
}
