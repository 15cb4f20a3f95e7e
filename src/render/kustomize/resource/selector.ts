import { RE2JS, RE2JSSyntaxException } from 're2js';
import { matchesLabels, parseLabelSelector } from '../../../model/kubernetes/index.js';
import { invalid } from '../fault.js';
import { effectiveNamespace, isSelectedBy, type Gvk, type ResId } from './res-id.js';
import type { Resource } from './resource.js';

/** Chooses objects; every text is a regular expression that must match whole, an empty one matches everything. */
export interface Selector extends Gvk {
  readonly name: string;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly annotationSelector: string;
}

export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw invalid(`error parsing regexp: ${error.message}`);
    throw error;
  }
}

function whole(pattern: string): (text: string) => boolean {
  if (pattern === '') return () => true;
  // Most are plain names.
  if (/^[A-Za-z0-9_/-]+$/.test(pattern)) return (text) => text === pattern;
  const compiled = compilePattern(`^(?:${pattern})$`);
  return (text) => compiled.test(text);
}

interface Patterns {
  gvk(gvk: Gvk): boolean;
  name(name: string): boolean;
  namespace(namespace: string): boolean;
}

export function patternsOf(selector: Selector): Patterns {
  const [group, version, kind] = [whole(selector.group), whole(selector.version), whole(selector.kind)];
  return {
    gvk: (gvk) => group(gvk.group) && version(gvk.version) && kind(gvk.kind),
    name: whole(selector.name),
    namespace: whole(selector.namespace),
  };
}

/** The objects that a selector means, by their first or their present name and namespace. */
export function select(resources: readonly Resource[], selector: Selector): Resource[] {
  const patterns = patternsOf(selector);
  const isLabelled = labelMatcher(selector);
  return resources.filter((resource) => {
    const { id } = resource;
    if (!patterns.gvk(id)) return false;
    const { originalId } = resource;
    return (
      (patterns.name(originalId.name) || patterns.name(id.name)) &&
      (patterns.namespace(effectiveNamespace(originalId)) || patterns.namespace(effectiveNamespace(id))) &&
      isLabelled(resource)
    );
  });
}

/** Whether labels and annotations are as a selector wants them. */
export function labelMatcher({
  labelSelector,
  annotationSelector,
}: Pick<Selector, 'labelSelector' | 'annotationSelector'>): (resource: Resource) => boolean {
  const labels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
  const annotations = annotationSelector === '' ? undefined : parseLabelSelector(annotationSelector);
  return (resource) =>
    (labels === undefined || matchesLabels(labels, Object.fromEntries(resource.labels))) &&
    (annotations === undefined || matchesLabels(annotations, Object.fromEntries(resource.annotations)));
}

/** Whether an id is the one that a replacement's source names; its texts are no patterns. */
export function isNamed(id: ResId, wanted: Selector): boolean {
  return (
    (wanted.name === '' || wanted.name === id.name) &&
    (wanted.namespace === '' || effectiveNamespace({ ...wanted, isClusterScoped: false }) === effectiveNamespace(id)) &&
    isSelectedBy(id, wanted)
  );
}
