import { nearestName } from '../nearest-name.js';
import { type Graph, nodeText, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { objectAt, objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { eventOf, type ContainerFact } from './pod-facts.js';
import { memoryTooLow, sandbox } from './sandboxes.js';

const CANNOT_START = new Set([
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError', 'StartError'],
  ...['ContainerCannotRun', 'PreStartHookError', 'PostStartHookError'],
]);

/** A container that cannot be created because of its configuration. */
export function configFault(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (!CANNOT_START.has(container.waiting)) return undefined;
  const message = container.message || (eventOf(pod, graph, /^Failed$/)?.message ?? '');
  const evidence = [fact(pod, 'status.containerStatuses[].state.waiting', `${container.waiting}: ${message}`)];
  const absent = /(secret|configmap) "?([^"\s]+)"? not found/i.exec(message);
  if (absent !== null) {
    const kind = absent[1]?.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap';
    const name = (absent[2] ?? '').replace(/^.*\//, '');
    const target = graph.store.missing({ group: '', kind, namespace: pod.key.namespace, name });
    return delegate(
      kind === 'Secret' ? 'B01' : 'B04',
      pod,
      'configure',
      `${nodeText(pod)} needs ${kind} ${name}, which does not exist`,
      { evidence, target },
    );
  }
  const key = /couldn't find key (\S+) in (Secret|ConfigMap) ([^/\s]+)\/(\S+)/.exec(message);
  if (key !== null) return keyFault(pod, graph, container, key, evidence);
  const starved = memoryTooLow(pod, graph, message, { evidence });
  if (starved !== undefined) return starved;
  if (/runAsNonRoot|non-numeric user|run as root/.test(message))
    return leaf('C14', pod, 'configure', `${nodeText(pod)} must not run as root, but its image does`, {
      evidence,
      field: `spec.template.${container.path}.securityContext`,
      fix: change(pod, graph, 'set a numeric runAsUser, or use an image with a non-root user'),
    });
  if (/executable file not found|no such file or directory|exec: |permission denied|exec format error/.test(message)) {
    return leaf('F03', pod, 'run', `cannot start the command of container ${container.name} of ${nodeText(pod)}`, {
      evidence,
      field: commandField(container),
      fix: change(pod, graph, 'correct command and args, or the image'),
    });
  }
  return leaf(
    'F03',
    pod,
    'configure',
    `container ${container.name} of ${nodeText(pod)} cannot be created: ${message}`,
    {
      evidence,
      field: `spec.template.${container.path}`,
      fix: change(pod, graph, 'resolve the error in the message'),
    },
  );
}

export function commandField({ path, spec }: ContainerFact): string {
  return `spec.template.${path}.${spec.command === undefined && spec.args !== undefined ? 'args' : 'command'}`;
}

/** The Secret is there and the key is not: the name of the key is wrong on one of both sides. */
function keyFault(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  [, key = '', kind = '', namespace = '', name = '']: RegExpExecArray,
  evidence: Finding['evidence'],
): Finding {
  const holder = graph.store.refer({ group: '', kind, namespace, name });
  const keys = ['data', 'stringData', 'binaryData'].flatMap((field) =>
    Object.keys(objectAt(holder.object, field) ?? {}),
  );
  const reference = kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef';
  const index = objectsAt(container.spec, 'env').findIndex(
    (variable) => textAt(variable, 'valueFrom', reference, 'key') === key,
  );
  const near = nearestName(key, keys);
  const field = `spec.template.${container.path}.env[${index}].valueFrom.${reference}.key`;
  const maker = graph.edges(holder).find(({ to }) => to.state === 'present')?.to;
  const more = {
    evidence: [...evidence, { of: nodeText(holder), path: 'data', value: `keys: ${keys.sort().join(', ')}` }],
    fix: change(pod, graph, `add the key ${key} to ${kind} ${name}, or use one of its keys`),
  };
  const title =
    `${kind} ${namespace}/${name} has no key ${key}, which ${nodeText(pod)} ` +
    `reads${near === undefined ? '' : `; did you mean ${near}?`}`;
  // A similar key exists: the reference is wrong. Otherwise the writer of the object is to blame.
  return near !== undefined || holder.state !== 'present'
    ? leaf('B02', pod, 'configure', title, { ...more, field })
    : leaf('B02', pod, 'configure', title, {
        ...more,
        blamed: maker ?? holder,
        field: maker === undefined ? `data['${key}']` : 'spec.data',
      });
}

/** A pod without its volumes or sandbox: only events have the reason. */
export function mountFault(pod: Node, graph: Graph, containers: readonly ContainerFact[]): Finding | undefined {
  const isCreating =
    textAt(pod.object, 'spec', 'nodeName') !== '' &&
    textAt(pod.object, 'status', 'phase') === 'Pending' &&
    containers.every(
      ({ waiting, isRunning, ended }) =>
        !isRunning &&
        ended === '' &&
        (waiting === '' || waiting === 'ContainerCreating' || waiting === 'PodInitializing'),
    );
  if (!isCreating) return undefined;
  const event = eventOf(pod, graph, /^(FailedMount|FailedAttachVolume|FailedCreatePodSandBox|FailedMapVolume)$/);
  if (event === undefined) return undefined;
  const details = {
    evidence: [fact(pod, `event ${event.reason}`, event.message)],
    ...(event.time === undefined ? {} : { onset: event.time }),
  };
  const { message } = event;
  const absent = /(secret|configmap) "([^"]+)" not found/i.exec(message);
  if (absent !== null) {
    const kind = absent[1]?.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap';
    const target = graph.store.missing({ group: '', kind, namespace: pod.key.namespace, name: absent[2] ?? '' });
    return delegate('B03', pod, 'attach', `${nodeText(pod)} mounts ${kind} ${absent[2] ?? ''}, which does not exist`, {
      ...details,
      target,
    });
  }
  const key = /references non-existent (?:secret|config) key: (\S+)/.exec(message)?.[1];
  if (key !== undefined)
    return leaf('B02', pod, 'attach', `${nodeText(pod)} mounts the key ${key}, which does not exist`, {
      ...details,
      field: 'spec.template.spec.volumes',
      fix: change(pod, graph, `add the key ${key}, or remove it from items`),
    });
  if (event.reason === 'FailedCreatePodSandBox') return sandbox(pod, graph, message, details);
  if (/Multi-Attach/.test(message))
    return leaf(
      'D07',
      pod,
      'attach',
      `the volume of ${nodeText(pod)} is attached to another node and supports one node only`,
      {
        ...details,
        field: 'spec.strategy',
        fix: change(pod, graph, 'use the Recreate strategy, or a ReadWriteMany volume'),
      },
    );
  if (/permission denied|operation not permitted|access denied/i.test(message))
    return leaf('D08', pod, 'attach', `the volume of ${nodeText(pod)} cannot be mounted: permission denied`, {
      ...details,
      field: 'spec.template.spec.volumes',
      fix: change(pod, graph, 'allow the node on the storage server, or set fsGroup'),
    });
  if (/persistentvolumeclaim|PVC/.test(message))
    return delegate('D11', pod, 'attach', `${nodeText(pod)} waits for its PersistentVolumeClaim`, details);
  return leaf('D08', pod, 'attach', `a volume of ${nodeText(pod)} cannot be mounted: ${message}`, {
    ...details,
    field: 'spec.template.spec.volumes',
    fix: change(pod, graph, "repair the volume or its driver; the message is the kubelet's"),
  });
}
