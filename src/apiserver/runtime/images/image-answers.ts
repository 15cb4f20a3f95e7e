import { createHash } from 'node:crypto';
import { imageText, type ImageReference } from './image-reference.js';

/** Why a pull fails. */
export type ImageAnswer =
  | 'notFound'
  | 'denied'
  | 'unauthorized'
  | 'wrongCredentials'
  | 'rateLimited'
  | 'noSuchHost'
  | 'unreachable';

/** What containerd 1.7 reports; the kubelet quotes it. */
const TEXTS: Readonly<Record<ImageAnswer, (image: ImageReference) => string>> = {
  notFound: (image) => `rpc error: code = NotFound desc = ${unresolved(image)}: ${imageText(image)}: not found`,
  denied: (image) =>
    `${unknown(image)}: pull access denied, repository does not exist or may require authorization: server ` +
    'message: insufficient_scope: authorization failed',
  unauthorized: (image) => unauthorized(image),
  wrongCredentials: (image) =>
    `${unknown(image)}: failed to authorize: failed to fetch oauth token: unexpected status from GET ` +
    `request to ${tokenUrl(image)}: ${messagesOf(image).wrong}`,
  rateLimited: (image) =>
    `rpc error: code = Unknown desc = failed to pull and unpack image ${JSON.stringify(imageText(image))}: ` +
    'failed to copy: httpReadSeeker: failed open: unexpected status code ' +
    `${manifestUrl(image, digestOf(image))}: 429 Too Many Requests - Server message: toomanyrequests: You ` +
    'have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
  noSuchHost: (image) =>
    `${unknown(image)}: failed to do request: Head "${manifestUrl(image)}": dial tcp: lookup ` +
    `${hostOf(image)}: no such host`,
  unreachable: (image) =>
    `${unknown(image)}: failed to do request: Head "${manifestUrl(image)}": dial tcp: i/o timeout`,
};

export const IMAGE_ANSWERS: readonly string[] = Object.keys(TEXTS);

export function answerText(answer: ImageAnswer, image: ImageReference): string {
  return TEXTS[answer](image);
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

function unauthorized(image: ImageReference): string {
  const { anonymous, missing } = messagesOf(image);
  switch (anonymous) {
    case 'denied':
      return TEXTS.denied(image);
    case 'at the manifest':
      return `${unknown(image)}: unexpected status from HEAD request to ${manifestUrl(image)}: ${missing}`;
    case 'at the token':
      return (
        `${unknown(image)}: failed to authorize: failed to fetch anonymous token: unexpected status from GET ` +
        `request to ${tokenUrl(image)}: ${missing}`
      );
    default:
      return anonymous satisfies never;
  }
}

function unresolved(image: ImageReference): string {
  const name = JSON.stringify(imageText(image));
  return `failed to pull and unpack image ${name}: failed to resolve reference ${name}`;
}

function unknown(image: ImageReference): string {
  return `rpc error: code = Unknown desc = ${unresolved(image)}`;
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
