import { imageText, type ImageReference } from './image-reference.js';

/** An image that cannot be had, and how the registry says so. `*` stands for any text; parts left out match anything. */
export interface ImageRule {
  readonly registry?: string;
  readonly repository?: string;
  readonly tag?: string;
  readonly answer: keyof typeof ANSWERS;
}

/** Every well-formed image exists but these. */
export const IMAGE_RULES: readonly ImageRule[] = [
  { tag: 'does-not-exist*', answer: 'notFound' },
  { repository: '*does-not-exist*', answer: 'denied' },
  { registry: 'does-not-exist*', answer: 'noSuchHost' },
  { registry: '*.invalid', answer: 'noSuchHost' },
];

/** What containerd 1.7 reports; the kubelet quotes it. */
const ANSWERS = {
  notFound: (image) => `rpc error: code = NotFound desc = ${unpack(image)}: ${imageText(image)}: not found`,
  denied: (image) => `rpc error: code = Unknown desc = ${unpack(image)}: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
  unauthorized: (image) => `rpc error: code = Unknown desc = ${unpack(image)}: failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://${image.registry}/token: 401 Unauthorized`,
  rateLimited: (image) => `rpc error: code = Unknown desc = ${unpack(image)}: unexpected status code ${manifest(image)}: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit`,
  noSuchHost: (image) => `rpc error: code = Unknown desc = ${unpack(image)}: failed to do request: Head "${manifest(image)}": dial tcp: lookup ${host(image)}: no such host`,
} as const satisfies Record<string, (image: ImageReference) => string>;

function unpack(image: ImageReference): string {
  const name = imageText(image);
  return `failed to pull and unpack image "${name}": failed to resolve reference "${name}"`;
}

function host({ registry }: ImageReference): string {
  return registry === 'docker.io' ? 'registry-1.docker.io' : registry.replace(/:\d+$/, '');
}

function manifest(image: ImageReference): string {
  const server = image.registry === 'docker.io' ? 'registry-1.docker.io' : image.registry;
  return `https://${server}/v2/${image.repository}/manifests/${image.digest === '' ? image.tag : image.digest}`;
}

/** Why the image cannot be had; undefined where it can. */
export function refusedImage(image: ImageReference, rules: readonly ImageRule[]): string | undefined {
  const rule = rules.find(({ registry, repository, tag }) =>
    matches(registry, image.registry) && matches(repository, image.repository) && matches(tag, image.tag));
  return rule && ANSWERS[rule.answer](image);
}

/** Shell-like patterns with `*` only; no regular expression is built from data. */
function matches(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return text.length - part.length >= at && text.endsWith(part);
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
