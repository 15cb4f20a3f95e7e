import { type JsonObject, objectAt, objectsAt, own, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';
import type { ContainerFact } from './pod-facts.js';
import type { Crash } from './crash.js';
import { anyOf } from '../any-of.js';

export const DISK_FULL = /no space left on device|ENOSPC|disk (?:is )?full|disk quota exceeded/i;

const READ_ONLY_FILES = /read-only file system|EROFS/i;
const NO_BIND = /bind: permission denied|EACCES.*listen|listen EACCES/i;

const NO_ACCESS = anyOf(
  /EACCES|AccessDeniedException: \//i,
  /(?:open|creat|writ|mkdir|mov|renam|load|sav|append|chown|access|director|file)\w*\b.*: permission denied/i,
  /permission denied.*\b(?:open|creat|writ|mkdir|director|file)/i,
  /permission denied(?:, (?:open|mkdir|access|unlink|rename)|: ['"]?\/)/i,
  /(?:open|mkdir|create|chown|chmod|access) ['"]?\/\S+: (?:permission denied|operation not permitted)/i,
);

/** What a program writes that may not write or open something. */
export const NOT_WRITABLE: readonly RegExp[] = [READ_ONLY_FILES, NO_BIND, NO_ACCESS];

const MALFORMED = anyOf(
  /pars|syntax|invalid|unknown|unexpected|malformed|decod|unmarshal|not allowed/i,
  /unrecognized|illegal|bad /i,
);

/** A volume, or the disk of the node, that is full. */
export function diskFull(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (!DISK_FULL.test(line)) return undefined;
  const claims = graph
    .edges(pod)
    .map(({ to }) => to)
    .filter(({ key, object }) => key.kind === 'PersistentVolumeClaim' && object !== undefined);
  const [claim] = claims;
  if (claim === undefined || claims.length > 1)
    return leaf('D09', pod, phase, `container ${container.name} of ${nodeText(pod)} has no disk space left: ${line}`, {
      ...details,
      suspect: true,
      field:
        claim === undefined
          ? `spec.template.${container.path}.resources.limits.ephemeral-storage`
          : 'spec.template.spec.volumes',
      fix: change(pod, graph, 'free disk space, or add more'),
    });
  return leaf('D09', pod, phase, `the volume of ${nodeText(claim)} is full, and ${nodeText(pod)} cannot write to it`, {
    ...details,
    blamed: claim,
    field: 'spec.resources.requests.storage',
    evidence: [
      ...details.evidence,
      fact(claim, 'status.capacity.storage', valueAt(claim.object, 'status', 'capacity', 'storage') ?? null),
    ],
    fix: change(claim, graph, 'free space, or expand the claim if its StorageClass allows that', { risk: 'data' }),
  });
}

export function pathNotWritable(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (READ_ONLY_FILES.test(line)) {
    const isClosed = valueAt(container.spec, 'securityContext', 'readOnlyRootFilesystem') === true;
    return leaf(
      'F18',
      pod,
      phase,
      `container ${container.name} of ${nodeText(pod)} writes to a read-only file system`,
      {
        ...details,
        field: `spec.template.${container.path}.securityContext.readOnlyRootFilesystem`,
        ...(isClosed ? {} : { suspect: true }),
        fix: change(pod, graph, 'mount an emptyDir where it writes, or disable readOnlyRootFilesystem'),
      },
    );
  }
  if (NO_BIND.test(line))
    return leaf(
      'F18',
      pod,
      phase,
      `container ${container.name} of ${nodeText(pod)} is not allowed to bind a port below 1024: ${line}`,
      {
        ...details,
        field: `spec.template.${container.path}.securityContext`,
        fix: change(pod, graph, 'listen on a port above 1023, or add the capability NET_BIND_SERVICE'),
      },
    );
  if (!NO_ACCESS.test(line)) return undefined;
  const path = /(?<![\w<])(\/[\w./-]+)/.exec(line)?.[1] ?? '';
  const mounts = dataMounts(pod, container);
  const isVolume =
    path === '' ? mounts.length === 1 : mounts.some((mount) => isInside(path, textAt(mount, 'mountPath')));
  const field = isVolume
    ? 'spec.template.spec.securityContext.fsGroup'
    : `spec.template.${container.path}.securityContext`;
  return leaf(
    'F18',
    pod,
    phase,
    `container ${container.name} of ${nodeText(pod)} is denied access to ` +
      (path === '' ? `a file${isVolume ? ` of its volume ${textAt(mounts[0], 'name')}` : ' that it needs'}` : path),
    {
      ...details,
      field,
      ...(isVolume ? {} : { suspect: true }),
      fix: change(
        pod,
        graph,
        isVolume
          ? 'set fsGroup so that the program can write to its volume'
          : 'run it as the user that the image expects',
      ),
    },
  );
}

/** A file from a ConfigMap that the program cannot parse. */
export function fileNotReadable(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (!MALFORMED.test(line)) return undefined;
  for (const [path] of line.matchAll(/\/[\w./-]+/g)) {
    const source = mountedFrom(pod, container, path);
    const holder =
      source === undefined
        ? undefined
        : graph.store.get({ group: '', kind: source.kind, namespace: pod.key.namespace, name: source.name });
    if (
      source === undefined ||
      holder?.object === undefined ||
      own(objectAt(holder.object, 'data') ?? {}, source.key) === undefined
    )
      continue;
    return leaf('F02', pod, phase, `${nodeText(pod)} cannot parse ${source.key} of ${nodeText(holder)}: ${line}`, {
      ...details,
      blamed: holder,
      field: `data['${source.key}']`,
      evidence: [...details.evidence, fact(holder, `data['${source.key}']`, `mounted as ${path}`)],
      fix: change(holder, graph, 'correct what the program reports'),
    });
  }
  return undefined;
}

function isInside(path: string, folder: string): boolean {
  return folder !== '' && (path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
}

/** Mounts of volumes that keep data: their files belong to somebody, who need not be the user of the container. */
function dataMounts(pod: Node, { spec }: ContainerFact): JsonObject[] {
  const kept = objectsAt(pod.object, 'spec', 'volumes').filter((volume) =>
    ['persistentVolumeClaim', 'hostPath', 'nfs', 'csi', 'ephemeral', 'local'].some(
      (kind) => valueAt(volume, kind) !== undefined,
    ),
  );
  return objectsAt(spec, 'volumeMounts').filter((mount) =>
    kept.some((volume) => textAt(volume, 'name') === textAt(mount, 'name')),
  );
}

/** The object and key that a file of a container is mounted from. */
function mountedFrom(
  pod: Node,
  container: ContainerFact,
  path: string,
): { readonly kind: 'ConfigMap' | 'Secret'; readonly name: string; readonly key: string } | undefined {
  const mount = objectsAt(container.spec, 'volumeMounts')
    .filter((each) => isInside(path, textAt(each, 'mountPath')))
    .sort((a, b) => textAt(b, 'mountPath').length - textAt(a, 'mountPath').length)[0];
  const volume = objectsAt(pod.object, 'spec', 'volumes').find(
    (each) => mount !== undefined && textAt(each, 'name') === textAt(mount, 'name'),
  );
  if (mount === undefined || volume === undefined) return undefined;
  const file = textAt(mount, 'subPath') || path.slice(textAt(mount, 'mountPath').length).replace(/^\//, '');
  const [kind, source] =
    valueAt(volume, 'configMap') === undefined
      ? ['Secret' as const, objectAt(volume, 'secret')]
      : ['ConfigMap' as const, objectAt(volume, 'configMap')];
  const name = textAt(source, kind === 'Secret' ? 'secretName' : 'name');
  return name === ''
    ? undefined
    : {
        kind,
        name,
        key:
          objectsAt(source, 'items')
            .map((item) => (textAt(item, 'path') === file ? textAt(item, 'key') : ''))
            .find((key) => key !== '') ?? file,
      };
}
