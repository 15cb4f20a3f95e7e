import type { KubeObject } from '../../model/kubernetes/index.js';

/** The class that one of the annotations marks as default; the newest of several, then the first by name. */
export function defaultClass(classes: readonly KubeObject[], annotations: readonly string[]): KubeObject | undefined {
  const marked = classes.filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === 'true'));
  const created = (object: KubeObject): string => object.metadata.creationTimestamp ?? '';
  const order = (a: KubeObject, b: KubeObject): number =>
    created(a) === created(b)
      ? (a.metadata.name ?? '') < (b.metadata.name ?? '')
        ? -1
        : 1
      : created(a) < created(b)
        ? 1
        : -1;
  return [...marked].sort(order)[0];
}
