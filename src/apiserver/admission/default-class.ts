import type { KubeObject } from '../../model/kubernetes/index.js';

/** The class that one of the annotations marks as default; the newest of several, then the first by name. */
export function defaultClass(classes: readonly KubeObject[], annotations: readonly string[]): KubeObject | undefined {
  const marked = classes.filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === 'true'));
  return [...marked].sort(newestFirst)[0];
}

function newestFirst(a: KubeObject, b: KubeObject): number {
  const [created, otherCreated] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (created !== otherCreated) return created < otherCreated ? 1 : -1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
