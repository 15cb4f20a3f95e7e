import { ApiError } from '../api-error.js';

/** The form a client wants an answer in. */
export interface Format {
  readonly encoding: 'json' | 'yaml';
  /** `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, a discovery kind, or '' for the object itself. */
  readonly as: string;
  /** The version behind `v=`; v1 for tables and partial metadata. */
  readonly version: string;
  readonly group: string;
}

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*', '*']);
const YAML_TYPES = new Set(['application/yaml', 'text/yaml', 'application/x-yaml']);

/** Picks the first offer that we can serve; `mayBe` says which transformations this endpoint knows. */
export function negotiate(accept: string | undefined, mayBe: (format: Format) => boolean): Format {
  if (accept === undefined || accept.trim() === '') return { encoding: 'json', as: '', version: '', group: '' };
  for (const offer of readOffers(accept)) {
    if (mayBe(offer)) return offer;
  }
  throw notAcceptable('application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor');
}

function readOffers(accept: string): Format[] {
  return accept.split(',').map(readOffer).filter((offer) => offer !== undefined).sort((a, b) => b.quality - a.quality);
}

function readOffer(text: string): (Format & { quality: number }) | undefined {
  const [type = '', ...parts] = text.split(';').map((part) => part.trim());
  const parameters = new Map(parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
  const encoding = JSON_TYPES.has(type) ? 'json' : YAML_TYPES.has(type) ? 'yaml' : undefined;
  if (encoding === undefined) return undefined;
  const quality = Number(parameters.get('q') ?? '1');
  return { encoding, as: parameters.get('as') ?? '', version: parameters.get('v') ?? '', group: parameters.get('g') ?? '', quality };
}

/** How an error is shown to a client whose wishes may be what is wrong. */
export function errorFormat(accept: string | undefined): Format {
  const first = readOffers(accept ?? '')[0];
  const encoding = first?.as === '' ? first.encoding : 'json';
  return { encoding, as: '', version: '', group: '' };
}

/** Offers that ask for nothing but the object itself. */
export function plainOnly(format: Format): boolean {
  return format.as === '';
}

/** Offers of object endpoints: plain, Table, or metadata only. */
export function objectForms(format: Format): boolean {
  if (format.as === '') return true;
  return format.group === 'meta.k8s.io' && format.version === 'v1' && ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(format.as);
}

export function notAcceptable(accepted: string): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted}`);
}
