import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Settings } from '../../model/settings/index.js';
import type { Condition } from './condition.js';
import { ownerOf, trackingOf } from './tracking.js';

interface ApplicationLister {
  readonly settings: Settings;
  application(namespace: string, name: string): KubeObject | undefined;
}

/**
 * Applications that deliver each other: what one of them changes in the other the other changes back, and nobody can
 * delete one without all.
 * One that delivers itself is no fault: that is how people keep the first application of all in git.
 */
export function dependencyCycleConditions(
  object: KubeObject,
  home: ApplicationLister,
  controlNamespace: string,
): Condition[] {
  const tracking = trackingOf(home.settings);
  const path = [object];
  for (let above = ownerOf(object, tracking); above !== undefined; ) {
    const parent = findByInstance(above, home, controlNamespace);
    if (parent === undefined) return [];
    if (isSame(parent, object) && path.length > 1)
      return [
        {
          type: 'DependencyWarning',
          message:
            'applications deliver each other in a circle: ' +
            `${[object, ...path.slice(1), object].map(namespacedName).reverse().join(' -> ')}. Take the manifest of ` +
            'one of them out of the repository of the other',
        },
      ];
    // We deliver ourselves, or above us is a circle that we are not part of: those in it say so.
    if (path.some((each) => isSame(each, parent))) return [];
    path.push(parent);
    above = ownerOf(parent, tracking);
  }
  return [];
}

function findByInstance(instance: string, home: ApplicationLister, controlNamespace: string): KubeObject | undefined {
  const [, namespace = '', name = ''] = /^([^_]*)_(.*)$/s.exec(instance) ?? [];
  return (
    (namespace === '' ? undefined : home.application(namespace, name)) ?? home.application(controlNamespace, instance)
  );
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
}

function namespacedName({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
