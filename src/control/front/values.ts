import { writeJson, type Json, type KubeObject, type ToldValue, type ValuesAnswer } from '../../model/index.js';
import { pathText, valuePlaceText, type ValueOrigin } from '../../render/index.js';
import type { Desk } from '../delivery/desk.js';
import { openPass } from '../delivery/pass.js';
import { ApplicationRecord } from '../delivery/record.js';
import { admitted } from '../inspect.js';
import { traceValues } from '../make-manifests.js';

/** The values of an application's charts at the newest commits, each with the file and line that set it. */
export async function valuesOf(object: KubeObject, desk: Desk): Promise<ValuesAnswer> {
  const { application, view, targetRules } = await openPass(admitted(object, desk), new ApplicationRecord(), desk);
  const traced = await traceValues(
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      sources: application.sources,
      destinationNamespace: targetRules.destinationNamespace,
      kubeVersion: view.kubeVersion,
      apiVersions: view.apiVersions,
    },
    desk.workshop,
  );
  return { values: traced.flat().map(tellValue) };
}

const MASK = '++++++++';
const SECRET = /(?:password|passwd|passphrase|secret|token|credentials?|(?:api|private|access|encryption)[-_]?key)$/i;
const NAMES_ONE = /^(?:existing|use|has|create|enable)/i;

/** Whether a field is called as fields with secrets are. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !NAMES_ONE.test(name);
}

/** Charts are given passwords as values: a text that its name says is one is not shown. */
export function shownValue(path: readonly string[], value: Json): Json {
  return typeof value === 'string' && value !== '' && isSecretName(path.at(-1) ?? '') ? MASK : value;
}

function shownText(path: readonly string[], value: Json): string {
  const shown = shownValue(path, value);
  return shown === MASK ? MASK : writeJson(shown);
}

function tellValue({ path, value, removed, place, shadowed }: ValueOrigin): ToldValue {
  return {
    path: pathText(path),
    value: removed ? '' : shownText(path, value),
    origin: place === undefined ? '' : valuePlaceText(place),
    lost: shadowed.map((one) => ({ value: shownText(path, one.value), origin: valuePlaceText(one.place) })),
  };
}
