import { type Graph, type Node, conditionIs } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { numberAt } from '../../model/json/index.js';

/**
 * As API servers and operators write it: `secrets "a" not found`, `tasks.tekton.dev "a" not found`,
 * `ProviderConfig.aws.example "a" not found`.
 */
const NOT_FOUND = /(?<![\w.-])([A-Za-z]{2,60})(?:\.([a-z0-9.-]{3,120}))? "([a-z0-9][-a-z0-9.]{0,252})" not found/;
const CORE: Readonly<Record<string, string>> = {
  secrets: 'Secret',
  configmaps: 'ConfigMap',
  services: 'Service',
  serviceaccounts: 'ServiceAccount',
  persistentvolumeclaims: 'PersistentVolumeClaim',
};

/** An object that the message of an operator names: one that it did not find, or one that it waits for. */
export function namedObject(node: Node, graph: Graph, message: string): Node | undefined {
  return absentObject(node, graph, message) ?? unhealthyObject(node, graph, message);
}

function absentObject({ key }: Node, graph: Graph, message: string): Node | undefined {
  const [, word = '', group = '', name = ''] = NOT_FOUND.exec(message) ?? [];
  const definition = graph.store
    .ofKind('apiextensions.k8s.io', 'CustomResourceDefinition')
    .find(
      ({ object }) =>
        textAt(object, 'spec', 'group') === group &&
        [textAt(object, 'spec', 'names', 'plural'), textAt(object, 'spec', 'names', 'kind')].includes(word),
    );
  const kind = textAt(definition?.object, 'spec', 'names', 'kind') || kindOf(word, group);
  if (name === '' || kind === undefined) return undefined;
  const namespace = textAt(definition?.object, 'spec', 'scope') === 'Cluster' ? '' : key.namespace;
  const absent = graph.store.missing({ group, kind, namespace, name });
  // It is there by now: the message is old.
  return absent.object === undefined ? absent : undefined;
}

/** The kind of a word in a message: a resource of the core group, or a kind of another group. */
function kindOf(word: string, group: string): string | undefined {
  if (group === '') return Object.hasOwn(CORE, word) ? CORE[word] : undefined;
  return /^[A-Z]/.test(word) ? word : undefined;
}

/** Pods and their owners, by name, where they are unhealthy: a message that names a healthy one proves nothing. */
function unhealthyObject({ key }: Node, graph: Graph, message: string): Node | undefined {
  for (const name of new Set(message.slice(0, 2000).split(/[^-a-z0-9.]+/))) {
    // A name without a hyphen may be any word.
    if (!name.includes('-')) continue;
    const named = KINDS.map(([group, kind]) => graph.store.get({ group, kind, namespace: key.namespace, name })).find(
      (each) => each?.object !== undefined && isUnhealthy(each),
    );
    if (named !== undefined && named.key.name !== key.name) return named;
  }
  return undefined;
}

const KINDS = [
  ['', 'Pod'],
  ['', 'PersistentVolumeClaim'],
  ['apps', 'StatefulSet'],
  ['apps', 'Deployment'],
  ['batch', 'Job'],
] as const;

function isUnhealthy({ key, object }: Node): boolean {
  switch (key.kind) {
    case 'Pod':
      return !conditionIs(object, 'Ready', 'True') && textAt(object, 'status', 'phase') !== 'Succeeded';
    case 'PersistentVolumeClaim':
      return textAt(object, 'status', 'phase') !== 'Bound';
    case 'Job':
      return conditionIs(object, 'Failed', 'True');
    default:
      return (numberAt(object, 'status', 'readyReplicas') ?? 0) < (numberAt(object, 'spec', 'replicas') ?? 1);
  }
}
