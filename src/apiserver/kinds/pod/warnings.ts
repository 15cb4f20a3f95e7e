import { own, type JsonObject } from '../../../model/json/index.js';
import { parseQuantity, quantityValue } from '../../../model/kubernetes/index.js';
import { items, maybe, text } from '../../resources/index.js';

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
    items(spec, list).flatMap((container, index) => containerWarnings(container, `${path}.${list}[${index}]`)),
  );
  return [...selectors, ...containers];
}

function containerWarnings(container: JsonObject, path: string): string[] {
  return [...envWarnings(container, path), ...byteWarnings(container, path), ...portWarnings(container, path)];
}

/** Bytes cannot be divided; the real server keeps such a value and says so. */
function byteWarnings(container: JsonObject, path: string): string[] {
  return ['limits', 'requests'].flatMap((list) =>
    ['memory', 'ephemeral-storage'].flatMap((resource) => {
      const value = text(maybe(container, `resources.${list}`), resource);
      const whole = value === '' || quantityValue(parseQuantity(value), -3) % 1000n === 0n;
      return whole
        ? []
        : [
            `${path}.resources.${list}[${resource}]: fractional byte value ${JSON.stringify(value)} is ` +
              'invalid, must be an integer',
          ];
    }),
  );
}

function portWarnings(container: JsonObject, path: string): string[] {
  const first = new Map<string, number>();
  return items(container, 'ports').flatMap((port, index) => {
    const identity = JSON.stringify([
      own(port, 'containerPort'),
      own(port, 'protocol'),
      own(port, 'hostPort'),
      own(port, 'hostIP'),
    ]);
    const earlier = first.get(identity);
    if (earlier === undefined) first.set(identity, index);
    return earlier === undefined
      ? []
      : [`${path}.ports[${index}]: duplicate port definition with ${path}.ports[${earlier}]`];
  });
}

function envWarnings(container: JsonObject, path: string): string[] {
  const seen = new Set<string>();
  return items(container, 'env').flatMap((variable, index) => {
    const name = text(variable, 'name');
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [
      `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped ` +
        'when using apply',
    ];
  });
}
