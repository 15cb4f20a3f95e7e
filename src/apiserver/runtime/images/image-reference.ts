/** An image name taken apart, with the parts that Docker Hub names leave out. */
export interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[\w][\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Undefined: no image can have this name. */
export function parseImage(image: string): ImageReference | undefined {
  const [named = '', digest = '', ...rest] = image.split('@');
  if (rest.length > 0 || (image.includes('@') && !DIGEST.test(digest))) return undefined;
  const slash = named.indexOf('/');
  const first = named.slice(0, Math.max(0, slash));
  const hasHost = slash > 0 && (first.includes('.') || first.includes(':') || first === 'localhost');
  const path = hasHost ? named.slice(slash + 1) : named;
  const colon = path.lastIndexOf(':');
  const [repository, tag] = colon < 0 ? [path, ''] : [path.slice(0, colon), path.slice(colon + 1)];
  if (!REPOSITORY.test(repository) || (colon >= 0 && !TAG.test(tag))) return undefined;
  return {
    registry: hasHost ? first : 'docker.io',
    repository: !hasHost && !repository.includes('/') ? `library/${repository}` : repository,
    tag: tag === '' && digest === '' ? 'latest' : tag,
    digest,
  };
}

/** The full name, as the container runtime writes it: `docker.io/library/nginx:1.27`. */
export function imageText({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${tag === '' ? '' : `:${tag}`}${digest === '' ? '' : `@${digest}`}`;
}
