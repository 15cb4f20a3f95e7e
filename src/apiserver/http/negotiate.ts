import { ApiError } from '../errors/index.js';
import { PROTOBUF } from './protobuf/read-protobuf.js';

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
const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF];
const STREAM_TYPES = ['application/json;stream=watch', `${PROTOBUF};stream=watch`];

/** The media types that an endpoint offers; its router refuses what is not among them before anything else is read. */
export const ROUTES = {
  object: OBJECT_TYPES,
  watchableList: [...OBJECT_TYPES, ...STREAM_TYPES],
  log: ['text/plain', ...OBJECT_TYPES],
  connection: ['*/*'],
  version: ['application/json'],
} as const;

/**
 * Throws 406 unless a wanted type is literally among those offered, or anything is wanted; `application/*` is neither.
 */
export function checkRoute(accept: string | undefined, offered: readonly string[]): void {
  if (accept === undefined || accept === '' || offered.includes('*/*')) return;
  const wanted = accept.split(',').map((one) => (one.split(';')[0] ?? '').trim());
  if (wanted.some((type) => type === '*/*' || offered.includes(type))) return;
  throw new ApiError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${offered.join(', ')}`,
    {},
  );
}

/** Picks the first offer that we can serve; `mayBe` says which transformations this endpoint knows. */
export function negotiate(accept: string | undefined, mayBe: (format: Format) => boolean): Format {
  if (accept === undefined || accept.trim() === '') return { encoding: 'json', as: '', version: '', group: '' };
  for (const offer of readOffers(accept)) {
    if (mayBe(offer)) return offer;
  }
  // A client that accepts only protobuf gets 406: protobuf is read from bodies, never written.
  const wantsProtobuf = accept.split(',').some((one) => one.trim() === PROTOBUF);
  throw notAcceptable(OBJECT_TYPES.filter((type) => type !== PROTOBUF || !wantsProtobuf).join(', '));
}

function readOffers(accept: string): Format[] {
  return accept
    .split(',')
    .map(readOffer)
    .filter((offer) => offer !== undefined)
    .sort((a, b) => b.quality - a.quality);
}

function readOffer(text: string): (Format & { quality: number }) | undefined {
  const [type = '', ...parts] = text.split(';').map((part) => part.trim());
  const parameters = new Map(
    parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
  const isJson = JSON_TYPES.has(type);
  if (!isJson && type !== 'application/yaml') return undefined;
  const quality = Number(parameters.get('q') ?? '1');
  return {
    encoding: isJson ? 'json' : 'yaml',
    as: parameters.get('as') ?? '',
    version: parameters.get('v') ?? '',
    group: parameters.get('g') ?? '',
    quality,
  };
}

/** The format of an error for a client whose Accept header may itself be wrong. */
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
  return (
    format.group === 'meta.k8s.io' &&
    format.version === 'v1' &&
    ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(format.as)
  );
}

export function notAcceptable(accepted: string): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted}`);
}
