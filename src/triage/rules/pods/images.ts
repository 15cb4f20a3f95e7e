import { type Graph, nodeText, type Node } from '../../graph/index.js';
import { textAt, textsAt } from '../../json/index.js';
import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { act, change, delegate, fact, leaf, joinDistinct, shellWord } from '../make-finding.js';
import { containerFacts, type ContainerFact } from './pod-facts.js';
import { anyOf } from '../any-of.js';

/** The parts of an image's name. */
export function imageParts(image: string): {
  readonly host: string;
  readonly repository: string;
  readonly tag: string;
} {
  const [name = '', digest] = image.split('@');
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasHost = first.includes('.') || first.includes(':') || first === 'localhost';
  const rest = hasHost ? name.slice(slash + 1) : name;
  const colon = rest.lastIndexOf(':');
  return {
    host: hasHost ? first : 'docker.io',
    repository: colon < 0 ? rest : rest.slice(0, colon),
    tag: digest ?? (colon < 0 ? 'latest' : rest.slice(colon + 1)),
  };
}

const WAITING = new Set([
  ...['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError'],
  ...['RegistryUnavailable', 'ErrImagePullBackOff', 'SignatureValidationFailed'],
]);

/** The images that a pod cannot pull. */
export function unpullableImages(pod: Node): string[] {
  return containerFacts(pod)
    .filter(({ waiting }) => WAITING.has(waiting))
    .map(({ spec }) => textAt(spec, 'image'));
}

/** The part of a message that has no reason for the failed pull. */
const NO_REASON = /^Back-off pulling image "[^"]*"(?:: )?|^Error: (?:ErrImagePull|ImagePullBackOff)$/;

/** Why an image cannot be pulled. */
export function imageFault(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (!WAITING.has(container.waiting)) return undefined;
  const image = textAt(container.spec, 'image');
  const message = joinDistinct(
    [
      container.message,
      ...graph
        .events(pod)
        .filter(
          (event) =>
            /^(Failed|ErrImage.*|BackOff|InspectFailed|FailedToInspectImage)$/.test(event.reason) &&
            (event.message.includes(image) || !/image "/.test(event.message)),
        )
        .map((event) => event.message),
    ].map((text) => text.replace(NO_REASON, '')),
  );
  const details = {
    evidence: [
      fact(pod, `${container.path}.image`, image),
      fact(pod, 'status.containerStatuses[].state.waiting.reason', container.waiting),
      ...(message === '' ? [] : [fact(pod, 'message', message)]),
    ],
    field: templateField(container, 'image'),
  };
  // A table alone says neither which image nor why.
  if (image === '' && message === '')
    return delegate('E01', pod, 'pull', `the image of ${nodeText(pod)} cannot be pulled; its events say why`, {
      evidence: [fact(pod, 'status.containerStatuses[].state.waiting.reason', container.waiting)],
      field: details.field,
    });
  const { host, repository, tag } = imageParts(image);
  if (/InvalidImageName|invalid reference format|couldn't parse image/.test(`${container.waiting} ${message}`))
    return leaf('E05', pod, 'pull', `image name ${image} of ${nodeText(pod)} is invalid`, {
      ...details,
      fix: change(pod, graph, 'correct the image name'),
    });
  if (container.waiting === 'ErrImageNeverPull')
    return leaf(
      'E05',
      pod,
      'pull',
      `imagePullPolicy of ${nodeText(pod)} is Never, and its node does not have ${image}`,
      {
        ...details,
        field: templateField(container, 'imagePullPolicy'),
        fix: change(pod, graph, 'change imagePullPolicy, or load the image onto the node'),
      },
    );
  if (/no match(ing manifest)? for platform|no matching manifest/.test(message))
    return leaf('E05', pod, 'pull', `image ${image} does not support the platform of the node`, {
      ...details,
      fix: change(pod, graph, 'use an image for this platform, or schedule on matching nodes'),
    });
  return (
    denied({ pod, graph, image, host, message, details }) ??
    unreachable({ pod, graph, image, host, message, details }) ??
    absent({ pod, graph, image, host, message, details }, repository, tag)
  );
}

function isOfficial(image: string): boolean {
  const { host, repository } = imageParts(image);
  return /(?:^|\.)docker\.io$/.test(host) && /^(?:library\/)?[^/]+$/.test(repository);
}

function templateField({ path }: ContainerFact, name: string): string {
  return `spec.template.${path}.${name}`;
}

interface Pull {
  readonly pod: Node;
  readonly graph: Graph;
  readonly image: string;
  readonly host: string;
  readonly message: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly field: string };
}

/** The registry requires authentication. */
function denied({ pod, graph, image, host, message, details }: Pull): Finding | undefined {
  if (!/401|403|[Uu]nauthorized|denied|authentication required|authorization failed|no basic auth/.test(message))
    return undefined;
  // Official images need no credentials: Docker Hub denies what it does not have.
  if (isOfficial(image)) return undefined;
  const secrets = pullSecrets(pod, graph);
  const missing = secrets.find(({ state }) => state === 'ghost');
  if (missing !== undefined)
    return delegate(
      'E02',
      pod,
      'pull',
      `${nodeText(pod)} cannot pull ${image}: its pull secret ${missing.key.name} does not exist`,
      { ...details, target: missing },
    );
  const unread = secrets.find(({ state }) => state === 'unknown');
  if (unread !== undefined)
    return delegate(
      'E02',
      pod,
      'pull',
      `registry ${host} denies ${nodeText(pod)}, whose pull secret could not be read`,
      { ...details, suspect: true },
    );
  if (secrets.length === 0) {
    return leaf(
      'E02',
      pod,
      'pull',
      `${nodeText(pod)} pulls ${image} from ${host} without a pull secret and is denied`,
      {
        ...details,
        field: 'spec.template.spec.imagePullSecrets',
        ...(/not exist|repository .* (does not|may require)/.test(message) ? { suspect: false } : {}),
        fix: change(pod, graph, `add imagePullSecrets for ${host}, or fix the image name`),
      },
    );
  }
  const lacks = secrets.filter(
    ({ object }) =>
      !textsAt(object, 'known', 'hosts').some(
        (each) => each === host || (host === 'docker.io' && /docker\.io$/.test(each)),
      ),
  );
  const [secret] = lacks.length > 0 ? lacks : secrets;
  return leaf(
    'E03',
    pod,
    'pull',
    `registry ${host} rejects pull secret ${secret?.key.name ?? ''} of ${nodeText(pod)}`,
    {
      ...details,
      ...(secret === undefined ? {} : { blamed: secret }),
      field: "data['.dockerconfigjson']",
      signature: `credential ${secret?.id ?? ''} ${host}`,
      fix: act(`renew the credentials for ${host} in the Secret, or at its source if a controller writes it`, [], {
        verify: `kubectl get pods -n ${shellWord(pod.key.namespace)}`,
      }),
    },
  );
}

export function pullSecrets(pod: Node, graph: Graph): Node[] {
  const direct = objectsAt(pod.object, 'spec', 'imagePullSecrets').map((each) => textAt(each, 'name'));
  const account = graph.store.get({
    group: '',
    kind: 'ServiceAccount',
    namespace: pod.key.namespace,
    name: textAt(pod.object, 'spec', 'serviceAccountName') || 'default',
  });
  const names = [...direct, ...objectsAt(account?.object, 'imagePullSecrets').map((each) => textAt(each, 'name'))];
  return [...new Set(names)]
    .filter((name) => name !== '')
    .map((name) => graph.store.refer({ group: '', kind: 'Secret', namespace: pod.key.namespace, name }));
}

const UNREACHABLE = anyOf(
  /no such host|i\/o timeout|timeout|x509|certificate|connection refused/,
  /toomanyrequests|rate limit|429 Too Many Requests|TLS handshake|connection reset|network is unreachable/,
  /no route to host|HTTP response to HTTPS client|tls: [\w ]{1,60}/,
  /server misbehaving|EOF|(?<!:)\b50[0234]\b(?: [A-Z]\w+(?: [A-Z]\w+)*)?/,
);

function unreachable({ pod, graph, image, host, message, details }: Pull): Finding | undefined {
  const match = UNREACHABLE.exec(message)?.[0] ?? /dial tcp/.exec(message)?.[0];
  if (match === undefined || /manifest unknown|: not found/.test(message)) return undefined;
  const isLimit = /toomanyrequests|rate limit|429 Too Many Requests/.test(message);
  // An unresolvable host is a wrong name if other pulls succeed, and a DNS problem of the cluster if none do.
  return leaf(
    'E04',
    pod,
    'pull',
    isLimit
      ? `registry ${host} rate-limits pulls of this cluster`
      : `registry ${host} of ${nodeText(pod)} is unreachable: ${match}`,
    {
      ...details,
      signature: `registry ${host} ${isLimit ? 'limit' : match}`,
      commonTitle: `registry ${host} is unreachable: ${match}`,
      evidence: [...details.evidence, { of: 'image', path: 'image', value: image }],
      fix: isLimit
        ? change(pod, graph, 'pull with credentials, or from a mirror')
        : change(pod, graph, `correct the registry ${host}, or repair its certificate, route or DNS name`),
    },
  );
}

/** An image of the cluster registry comes from a build: its ImageStream shows whether it was pushed. */
function unbuilt({ pod, graph, image, details }: Pull, tag: string): Finding {
  const target = graph.store.virtual('Image', image);
  const stream = graph.edges(target)[0]?.to;
  const tags = objectsAt(stream?.object, 'status', 'tags').map((each) => textAt(each, 'tag'));
  const say = `image ${image} is not in the cluster registry yet`;
  if (stream === undefined) return delegate('E06', pod, 'pull', say, { ...details, target });
  if (tags.length > 0 && !tags.includes(tag))
    return leaf('E06', pod, 'pull', `${nodeText(stream)} has no tag ${tag}, which ${nodeText(pod)} uses`, {
      ...details,
      evidence: [...details.evidence, fact(stream, 'status.tags[].tag', tags.join(', '))],
      fix: change(pod, graph, `use a tag of the stream (${tags.slice(0, 5).join(', ')}), or build ${tag}`),
    });
  const isBuilt = graph.edges(stream).some(({ to }) => to.key.kind === 'BuildConfig');
  if (stream.object === undefined || isBuilt) return delegate('E06', pod, 'pull', say, { ...details, target: stream });
  return leaf('E06', pod, 'pull', `${nodeText(stream)} is empty, and no BuildConfig pushes to it`, {
    ...details,
    blamed: stream,
    field: 'status.tags',
    evidence: [...details.evidence, fact(stream, 'status.tags', [])],
    fix: change(stream, graph, 'add a BuildConfig that pushes to it in an earlier wave, or import the image', {
      risk: 'none',
    }),
  });
}

function absent({ pod, graph, image, host, message, details }: Pull, repository: string, tag: string): Finding {
  if (/^image-registry\.openshift-image-registry\.svc/.test(host))
    return unbuilt({ pod, graph, image, host, message, details }, tag);
  const isKnown = /manifest unknown|not found|does not exist|unknown/.test(message);
  if (!isKnown && message === '') {
    const missing = pullSecrets(pod, graph).find(({ state }) => state === 'ghost');
    if (missing !== undefined)
      return delegate(
        'E02',
        pod,
        'pull',
        `${nodeText(pod)} cannot pull ${image}: its pull secret ${missing.key.name} does not exist`,
        { ...details, target: missing },
      );
  }
  return leaf(
    'E01',
    pod,
    'pull',
    isKnown ? `image ${image} does not exist` : `image ${image} of ${nodeText(pod)} cannot be pulled`,
    {
      ...details,
      ...(isKnown ? { signature: `tag ${host} ${tag}`, commonTitle: `images of ${host} have no tag ${tag}` } : {}),
      fix: change(pod, graph, `push ${repository}:${tag}, or use a tag that exists`),
    },
  );
}
