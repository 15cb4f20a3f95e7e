import { writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { MANAGED_BY } from './hook-player.js';

/** ConfigMaps of an application that is deleted; a Service comes with them. */
export const MAPS = 4;
/** Jobs before and after the deletion, in their order. */
export const HOOKS = ['before', 'after'] as const;

/** Objects in two waves; with an object of a kind of its own, or with hooks around the deletion. */
export function deletionFiles({
  kindOf,
  hasHooks = false,
}: {
  readonly kindOf?: string;
  readonly hasHooks?: boolean;
}): Record<string, string> {
  const meta = (name: string, wave: number): JsonObject => ({
    name,
    annotations: { 'argocd.argoproj.io/sync-wave': String(wave) },
  });
  const maps = Array.from(
    { length: MAPS },
    (_, index): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: meta(`map-${index}`, index % 2),
      data: { index: String(index) },
    }),
  );
  const objects: JsonObject[] = [
    ...maps,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta('web', 1),
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    },
    ...(kindOf === undefined
      ? []
      : [{ apiVersion: `${kindOf}.example.com/v1`, kind: 'Thing', metadata: meta('thing', 0) }]),
    ...(hasHooks ? [hook('before', 'PreDelete'), hook('after', 'PostDelete')] : []),
  ];
  return Object.fromEntries(objects.map((object, index) => [`app/${index}.yaml`, `${writeJson(object)}\n`]));
}

/** A kind for one trial alone. */
export function definitionOf(trial: string): KubeObject {
  const group = `${trial}.example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things', singular: 'thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

function hook(name: string, type: string): JsonObject {
  const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: { 'argocd.argoproj.io/hook': type } },
    spec: { managedBy: MANAGED_BY, backoffLimit: 0, template: { spec: pod } },
  };
}
