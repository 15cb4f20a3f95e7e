import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { imageText, type ImageReference } from './image-reference.js';

/** Why a pull fails. */
export type ImageAnswer =
  | 'notFound'
  | 'denied'
  | 'unauthorized'
  | 'wrongCredentials'
  | 'basicAuth'
  | 'forbidden'
  | 'rateLimited'
  | 'serverError'
  | 'noSuchHost'
  | 'unreachable'
  | 'refused'
  | 'noRoute'
  | 'untrusted'
  | 'notTls';

/** How containerd words it changed with this version. */
const WORDS_OF_2 = 2;

/** An image on a node with this version of containerd, such as `1.7.28`. */
interface Pull {
  readonly image: ImageReference;
  readonly containerd: string;
}

/** What containerd reports, as the kubelet quotes it: the code of the call stays for NotFound and DeadlineExceeded. */
const TEXTS: Readonly<Record<ImageAnswer, (pull: Pull) => string>> = {
  notFound: (pull) => `rpc error: code = NotFound desc = ${unresolved(pull)}: ${imageText(pull.image)}: not found`,
  denied: (pull) => `${denied(pull)}: server message: insufficient_scope: authorization failed`,
  unauthorized: (pull) => unauthorized(pull),
  wrongCredentials: (pull) =>
    `${unresolved(pull)}: failed to authorize: failed to fetch oauth token: unexpected status from GET ` +
    `request to ${tokenUrl(pull.image)}: ${messagesOf(pull.image).wrong}`,
  basicAuth: (pull) => `${denied(pull)}: authorization failed: no basic auth credentials`,
  forbidden: (pull) => unexpected(pull, '403 Forbidden'),
  rateLimited: (pull) => (pull.image.registry === 'docker.io' ? limitedByHub(pull) : unexpected(pull, TOO_MANY)),
  serverError: (pull) => unexpected(pull, '500 Internal Server Error'),
  noSuchHost: (pull) => failedRequest(pull, `dial tcp: lookup ${hostOf(pull.image)} on ${NAME_SERVER}: no such host`),
  unreachable: (pull) =>
    'rpc error: code = DeadlineExceeded desc = ' +
    failedRequest(pull, `dial tcp ${addressOf(pull.image)}: i/o timeout`),
  refused: (pull) => failedRequest(pull, `dial tcp ${addressOf(pull.image)}: connect: connection refused`),
  noRoute: (pull) => failedRequest(pull, `dial tcp ${addressOf(pull.image)}: connect: no route to host`),
  untrusted: (pull) =>
    failedRequest(pull, 'tls: failed to verify certificate: x509: certificate signed by unknown authority'),
  notTls: (pull) => failedRequest(pull, 'http: server gave HTTP response to HTTPS client'),
};

const TOO_MANY = '429 Too Many Requests';
/** That of the nodes. */
const NAME_SERVER = '172.18.0.1:53';

export const IMAGE_ANSWERS: readonly string[] = Object.keys(TEXTS);

export function answerText(answer: ImageAnswer, pull: Pull): string {
  return TEXTS[answer](pull);
}

interface RegistryMessages {
  /** Where tokens are given out, and for which service. */
  readonly token: string;
  readonly service: string;
  /** What becomes of a pull without credentials. */
  readonly anonymous: 'denied' | 'at the manifest' | 'at the token';
  /** HTTP statuses without and with wrong credentials, spelled as this registry spells them. */
  readonly missing: string;
  readonly wrong: string;
}

/** Registries refuse in different places and words. */
const REGISTRIES: ReadonlyMap<string, RegistryMessages> = new Map<string, RegistryMessages>([
  [
    'docker.io',
    {
      token: 'https://auth.docker.io/token',
      service: 'registry.docker.io',
      anonymous: 'denied',
      missing: '',
      wrong: '401 Unauthorized',
    },
  ],
  [
    'ghcr.io',
    {
      token: 'https://ghcr.io/token',
      service: 'ghcr.io',
      anonymous: 'at the token',
      missing: '401 Unauthorized',
      wrong: '403 Forbidden',
    },
  ],
  [
    'quay.io',
    {
      token: 'https://quay.io/v2/auth',
      service: 'quay.io',
      anonymous: 'at the manifest',
      missing: '401 UNAUTHORIZED',
      wrong: '401 UNAUTHORIZED',
    },
  ],
]);

function messagesOf({ registry }: ImageReference): RegistryMessages {
  return (
    REGISTRIES.get(registry) ?? {
      token: `https://${registry}/token`,
      service: registry,
      anonymous: 'at the token',
      missing: '401 Unauthorized',
      wrong: '401 Unauthorized',
    }
  );
}

function unauthorized(pull: Pull): string {
  const { anonymous, missing } = messagesOf(pull.image);
  switch (anonymous) {
    case 'denied':
      return TEXTS.denied(pull);
    case 'at the manifest':
      return unexpected(pull, missing);
    case 'at the token':
      return (
        `${unresolved(pull)}: failed to authorize: failed to fetch anonymous token: unexpected status from GET ` +
        `request to ${tokenUrl(pull.image)}: ${missing}`
      );
    default:
      return anonymous satisfies never;
  }
}

function unresolved({ image, containerd }: Pull): string {
  const name = JSON.stringify(imageText(image));
  const isNew = Number(containerd.split('.')[0]) >= WORDS_OF_2;
  return `failed to pull and unpack image ${name}: failed to resolve ${isNew ? 'image' : `reference ${name}`}`;
}

function denied(pull: Pull): string {
  return `${unresolved(pull)}: pull access denied, repository does not exist or may require authorization`;
}

function unexpected(pull: Pull, status: string): string {
  return `${unresolved(pull)}: unexpected status from HEAD request to ${manifestUrl(pull.image)}: ${status}`;
}

function failedRequest(pull: Pull, why: string): string {
  return `${unresolved(pull)}: failed to do request: Head "${manifestUrl(pull.image)}": ${why}`;
}

/** Docker Hub does not count who only asks what there is. */
function limitedByHub({ image }: Pull): string {
  return (
    `failed to pull and unpack image ${JSON.stringify(imageText(image))}: failed to copy: httpReadSeeker: failed ` +
    `open: unexpected status code ${manifestUrl(image, digestOf(image))}: ${TOO_MANY} - Server message: ` +
    'toomanyrequests: You have reached your unauthenticated pull rate limit. ' +
    'https://www.docker.com/increase-rate-limit'
  );
}

/** Of a host that is known by name only: the same for the same host, of a network that nobody has. */
function addressOf(image: ImageReference): string {
  const host = hostOf(image);
  const port = /:(\d+)$/.exec(image.registry)?.[1] ?? '443';
  if (isIP(host) !== 0) return `${host}:${port}`;
  return `203.0.113.${1 + ((createHash('sha256').update(host).digest()[0] ?? 0) % 254)}:${port}`;
}

function tokenUrl(image: ImageReference): string {
  const { token, service } = messagesOf(image);
  const scope = encodeURIComponent(`repository:${image.repository}:pull`);
  return `${token}?scope=${scope}&service=${encodeURIComponent(service)}`;
}

function hostOf({ registry }: ImageReference): string {
  return registry === 'docker.io' ? 'registry-1.docker.io' : registry.replace(/:\d+$/, '');
}

function manifestUrl(image: ImageReference, what = image.digest === '' ? image.tag : image.digest): string {
  const server = image.registry === 'docker.io' ? 'registry-1.docker.io' : image.registry;
  return `https://${server}/v2/${image.repository}/manifests/${what}`;
}

/** The same for the same image. */
function digestOf(image: ImageReference): string {
  return image.digest === '' ? `sha256:${createHash('sha256').update(imageText(image)).digest('hex')}` : image.digest;
}
