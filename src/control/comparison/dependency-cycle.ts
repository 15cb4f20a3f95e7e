import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Settings } from '../../model/settings/index.js';
import type { Condition } from './condition.js';
import { ownerOf, trackingOf } from './tracking.js';

interface ApplicationLister {
  readonly settings: Settings;
  application(namespace: string, name: string): KubeObject | undefined;
}

/**
 * Applications that deliver each other revert each other's changes, and none can be deleted without all. An application
 * that delivers itself is fine: that is how a root application is kept in git.
 */
export function dependencyCycleConditions(
  object: KubeObject,
  controlPlane: ApplicationLister,
  controlNamespace: string,
): Condition[] {
  const tracking = trackingOf(controlPlane.settings);
  const path = [object];
  for (let above = ownerOf(object, tracking); above !== undefined; ) {
    const parent = findByInstance(above, controlPlane, controlNamespace);
    if (parent === undefined) return [];
    if (isSame(parent, object) && path.length > 1)
      return [
        {
          type: 'DependencyWarning',
          message:
            'applications deliver each other in a cycle: ' +
            `${[object, ...path.slice(1), object].map(namespacedName).reverse().join(' -> ')}. Remove the manifest ` +
            'of one of them from the repository of the other',
        },
      ];
    // It delivers itself, or is below a cycle that others are part of: those report it.
    if (path.some((each) => isSame(each, parent))) return [];
    path.push(parent);
    above = ownerOf(parent, tracking);
  }
  return [];
}

function findByInstance(
  instance: string,
  controlPlane: ApplicationLister,
  controlNamespace: string,
): KubeObject | undefined {
  const [, namespace = '', name = ''] = /^([^_]*)_(.*)$/s.exec(instance) ?? [];
  return (
    (namespace === '' ? undefined : controlPlane.application(namespace, name)) ??
    controlPlane.application(controlNamespace, instance)
  );
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
}

function namespacedName({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
