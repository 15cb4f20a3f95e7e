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

/** The images that a pod asks for and does not get. */
export function unpullableImages(pod: Node): string[] {
  return containerFacts(pod)
    .filter(({ waiting }) => WAITING.has(waiting))
    .map(({ spec }) => textAt(spec, 'image'));
}

/** The part of a message that only repeats that the image does not come. */
const NO_REASON = /^Back-off pulling image "[^"]*"(?:: )?|^Error: (?:ErrImagePull|ImagePullBackOff)$/;

/** Why an image does not come. */
export function imageFault(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (!WAITING.has(container.waiting)) return undefined;
  const image = textAt(container.spec, 'image');
  const said = joinDistinct(
    [
      container.message,
      ...graph
        .events(pod)
        .filter(
          ({ reason, message }) =>
            /^(Failed|ErrImage.*|BackOff|InspectFailed|FailedToInspectImage)$/.test(reason) &&
            (message.includes(image) || !/image "/.test(message)),
        )
        .map(({ message }) => message),
    ].map((text) => text.replace(NO_REASON, '')),
  );
  const told = {
    evidence: [
      fact(pod, `${container.path}.image`, image),
      fact(pod, 'status.containerStatuses[].state.waiting.reason', container.waiting),
      ...(said === '' ? [] : [fact(pod, 'message', said)]),
    ],
    field: templateField(container, 'image'),
  };
  const { host, repository, tag } = imageParts(image);
  if (/InvalidImageName|invalid reference format|couldn't parse image/.test(`${container.waiting} ${said}`))
    return leaf('E05', pod, 'pull', `the image name ${image} of ${nodeText(pod)} is not valid`, {
      ...told,
      fix: change(pod, graph, 'correct the image name'),
    });
  if (container.waiting === 'ErrImageNeverPull')
    return leaf('E05', pod, 'pull', `${nodeText(pod)} must not pull ${image} and its node does not have it`, {
      ...told,
      field: templateField(container, 'imagePullPolicy'),
      fix: change(pod, graph, 'let imagePullPolicy pull it, or put the image on the node'),
    });
  if (/no match(ing manifest)? for platform|no matching manifest/.test(said))
    return leaf('E05', pod, 'pull', `the image ${image} is not made for the processor of the node`, {
      ...told,
      fix: change(pod, graph, 'use an image for this platform, or nodes of the other'),
    });
  return (
    refused({ pod, graph, image, host, message: said, details: told }) ??
    unreachable({ pod, graph, image, host, message: said, details: told }) ??
    absent({ pod, graph, image, host, message: said, details: told }, repository, tag)
  );
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

/** The registry wants to know who asks. */
function refused({ pod, graph, image, host, message, details }: Pull): Finding | undefined {
  if (!/401|403|[Uu]nauthorized|denied|authentication required|authorization failed|no basic auth/.test(message))
    return undefined;
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
  const unseen = secrets.find(({ state }) => state === 'unknown');
  if (unseen !== undefined)
    return delegate(
      'E02',
      pod,
      'pull',
      `the registry ${host} refuses ${nodeText(pod)}, whose pull secret could not be looked at`,
      { ...details, suspect: true },
    );
  if (secrets.length === 0) {
    return leaf(
      'E02',
      pod,
      'pull',
      `${nodeText(pod)} pulls ${image} from ${host} without a pull secret, and is refused`,
      {
        ...details,
        field: 'spec.template.spec.imagePullSecrets',
        ...(/not exist|repository .* (does not|may require)/.test(message) ? { suspect: false } : {}),
        fix: change(pod, graph, `add imagePullSecrets for ${host}, or correct the image name`),
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
    `the pull secret ${secret?.key.name ?? ''} of ${nodeText(pod)} does not open ${host}`,
    {
      ...details,
      ...(secret === undefined ? {} : { blamed: secret }),
      field: "data['.dockerconfigjson']",
      signature: `credential ${secret?.id ?? ''} ${host}`,
      fix: act(`renew the credential for ${host} in the Secret, at its source if one writes it`, [], {
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
  /toomanyrequests|rate limit|TLS handshake|connection reset|network is unreachable/,
  /server misbehaving|dial tcp|EOF|50[0234]/,
);

function unreachable({ pod, graph, image, host, message, details }: Pull): Finding | undefined {
  const match = UNREACHABLE.exec(message)?.[0];
  if (match === undefined || /manifest unknown|: not found/.test(message)) return undefined;
  const isLimit = /toomanyrequests|rate limit/.test(message);
  // A host that nobody can resolve is a wrong name where others pull well, and the cluster's DNS where nobody does.
  return leaf(
    'E04',
    pod,
    'pull',
    isLimit
      ? `the registry ${host} serves no more pulls to this cluster`
      : `the registry ${host} of ${nodeText(pod)} cannot be reached: ${match}`,
    {
      ...details,
      signature: `registry ${host} ${isLimit ? 'limit' : match}`,
      commonTitle: `the registry ${host} cannot be used: ${match}`,
      evidence: [...details.evidence, { of: 'image', path: 'image', value: image }],
      fix: isLimit
        ? change(pod, graph, 'pull with a credential, or from a mirror')
        : change(pod, graph, `correct the registry ${host}, or its certificate, route and name`),
    },
  );
}

/** An image of the cluster's own registry comes from a build: its stream says whether one has filled it. */
function unbuilt({ pod, graph, image, details }: Pull, tag: string): Finding {
  const target = graph.store.virtual('Image', image);
  const stream = graph.edges(target)[0]?.to;
  const tags = objectsAt(stream?.object, 'status', 'tags').map((each) => textAt(each, 'tag'));
  const say = `the image ${image} is not in the cluster's registry yet`;
  if (stream === undefined) return delegate('E06', pod, 'pull', say, { ...details, target });
  if (tags.length > 0 && !tags.includes(tag))
    return leaf('E06', pod, 'pull', `${nodeText(stream)} has no tag ${tag}, which ${nodeText(pod)} asks for`, {
      ...details,
      evidence: [...details.evidence, fact(stream, 'status.tags[].tag', tags.join(', '))],
      fix: change(pod, graph, `use a tag that the stream has (${tags.slice(0, 5).join(', ')}), or build ${tag}`),
    });
  const isBuilt = graph.edges(stream).some(({ to }) => to.key.kind === 'BuildConfig');
  if (stream.object === undefined || isBuilt) return delegate('E06', pod, 'pull', say, { ...details, target: stream });
  return leaf('E06', pod, 'pull', `${nodeText(stream)} is empty, and no BuildConfig fills it`, {
    ...details,
    blamed: stream,
    field: 'status.tags',
    evidence: [...details.evidence, fact(stream, 'status.tags', [])],
    fix: change(stream, graph, 'let a BuildConfig write to it in an earlier wave, or import the image', {
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
    isKnown ? `the image ${image} does not exist` : `the image ${image} of ${nodeText(pod)} cannot be pulled`,
    {
      ...details,
      ...(isKnown ? { signature: `tag ${host} ${tag}`, commonTitle: `images of ${host} have no tag ${tag}` } : {}),
      fix: change(pod, graph, `push ${repository}:${tag}, or name a tag that exists`),
    },
  );
}
