export interface ImageName {
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
}

/** The parts of an image; a colon before the first slash belongs to the registry's port. */
export function splitImage(image: string): ImageName {
  const slash = image.indexOf('/');
  const from = slash > 0 ? slash : 0;
  const at = image.indexOf('@', from);
  const colon = image.indexOf(':', from);
  if (colon < 0 && at < 0) return { name: image, tag: '', digest: '' };
  if (at >= 0 && (at < colon || colon < 0)) {
    return { name: image.slice(0, at), tag: '', digest: image.slice(at + 1) };
  }
  if (at < 0) return { name: image.slice(0, colon), tag: image.slice(colon + 1), digest: '' };
  return { name: image.slice(0, colon), tag: image.slice(colon + 1, at), digest: image.slice(at + 1) };
}
