import type { JsonObject } from '../../../model/index.js';
import { items, maybe, text } from './fields.js';

/** Node labels that were renamed; the real server warns of the old ones wherever a pod may select by them. */
const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

/** What is odd about a pod spec but allowed. `path` is where the spec stands. */
export function podWarnings(spec: JsonObject, path: string): string[] {
  const selectors = Object.keys(maybe(spec, 'nodeSelector') ?? {}).flatMap((label) => {
    const why = Object.hasOwn(OLD_LABELS, label) ? OLD_LABELS[label] : undefined;
    return why === undefined ? [] : [`${path}.nodeSelector[${label}]: ${why}`];
  });
  const containers = ['initContainers', 'containers'].flatMap((list) =>
    items(spec, list).flatMap((container, index) => containerWarnings(container, `${path}.${list}[${index}]`)));
  return [...selectors, ...containers];
}

function containerWarnings(container: JsonObject, path: string): string[] {
  const seen = new Set<string>();
  return items(container, 'env').flatMap((variable, index) => {
    const name = text(variable, 'name');
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [`${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`];
  });
}
