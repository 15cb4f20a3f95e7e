import type { KubeObject } from '../model/kubernetes/index.js';
import { type Installation, labelsOf, objectOf, RECORD } from './names.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../model/json/index.js';
import type { InstallValues } from './values.js';
import { disruptionBudgets, entrances, networkPolicies, services } from './network.js';
import { accounts } from './rights.js';
import { controllerWorkload, serverWorkload } from './workloads.js';

/**
 * Every object of an installation but the definitions of its kinds, in the order in which they are applied: accounts
 * before those who use them.
 */
export function installationObjects(installation: Installation): KubeObject[] {
  return [
    ...(installation.values.createNamespace ? [namespaceObject(installation)] : []),
    record(installation),
    ...accounts(installation),
    ...services(installation),
    controllerWorkload(installation),
    serverWorkload(installation),
    ...networkPolicies(installation),
    ...disruptionBudgets(installation),
    ...entrances(installation),
  ];
}

function namespaceObject(installation: Installation): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: installation.namespace, labels: labelsOf(installation) },
  };
}

/** What an upgrade and a check later go by: the values, in one line with sorted keys. */
function record(installation: Installation): KubeObject {
  const { values, version } = installation;
  return objectOf(installation, ['v1', 'ConfigMap', RECORD], { data: { values: valuesText(values), version } });
}

export function valuesText(values: InstallValues): string {
  // As Helm writes JSON: characters of HTML as escapes.
  return JSON.stringify(sorted(values as unknown as JsonObject)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(own(value, key) ?? null)]),
  );
}
