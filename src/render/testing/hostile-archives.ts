import { gzipSync } from 'node:zlib';
import { tar, tarGz } from './tar.js';

/** An archive of a chart that is refused. */
interface HostileArchive {
  readonly name: string;
  readonly code: 'CHART_INVALID' | 'RENDER_LIMIT';
  /** Part of what is said. */
  readonly says?: string;
  readonly pack: () => Uint8Array;
}

const MEGABYTE = 1024 * 1024;
const CHART = { name: 'shop/Chart.yaml', content: 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' };

/** Streams in a row count as one. */
const inRow = (count: number, piece: Uint8Array): Uint8Array =>
  Buffer.concat(Array.from({ length: count }, () => piece));

/** So many entries of no size. */
function tinyEntries(count: number): Buffer {
  const one = tar([{ name: 'shop/x' }]).subarray(0, 512);
  const many = Buffer.alloc(512 * count);
  for (let at = 0; at < many.length; at += 512) one.copy(many, at);
  return many;
}

function nested(depth: number): Uint8Array {
  let bytes = tarGz([CHART]);
  for (let level = 0; level < depth; level++) bytes = tarGz([CHART, { name: 'shop/charts/shop.tgz', content: bytes }]);
  return bytes;
}

/** Hardly to be packed. */
function noise(bytes: number): Buffer {
  const piece = Buffer.from(Array.from({ length: 64 * 1024 }, (_, index) => (index * 7919 + (index >> 3)) % 251));
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / piece.length) }, () => piece));
}

const member = (name: string, type: string, says: string): HostileArchive => ({
  name: `an entry ${name} of type ${type}`,
  code: 'CHART_INVALID',
  says,
  pack: () => tarGz([CHART, { name, type }]),
});

export const HOSTILE_ARCHIVES: readonly HostileArchive[] = [
  {
    name: '200 KB that become 200 MB',
    code: 'RENDER_LIMIT',
    pack: () => inRow(20, gzipSync(Buffer.alloc(10 * MEGABYTE))),
  },
  {
    name: '200 MB in one file',
    code: 'RENDER_LIMIT',
    pack: () =>
      inRow(
        1,
        Buffer.concat([
          gzipSync(tar([CHART, { name: 'shop/x', size: 200 * MEGABYTE }]).subarray(0, 1536)),
          inRow(20, gzipSync(Buffer.alloc(10 * MEGABYTE))),
        ]),
      ),
  },
  { name: 'a million entries', code: 'RENDER_LIMIT', pack: () => inRow(20, gzipSync(tinyEntries(50_000))) },
  {
    name: 'a file that is too large',
    code: 'RENDER_LIMIT',
    pack: () => tarGz([CHART, { name: 'shop/large', content: noise(5 * MEGABYTE + 1) }]),
  },
  { name: 'charts in charts without end', code: 'RENDER_LIMIT', pack: () => nested(25) },
  { name: 'no archive', code: 'CHART_INVALID', pack: () => Buffer.from('kind: X') },
  { name: 'an empty one', code: 'CHART_INVALID', pack: () => tarGz([]) },
  {
    name: 'one that is cut',
    code: 'CHART_INVALID',
    pack: () => gzipSync(tar([{ ...CHART, content: 'x'.repeat(5000) }]).subarray(0, 1024)),
  },
  { name: 'a wrong checksum', code: 'CHART_INVALID', pack: () => gzipSync(Buffer.alloc(1024, 1)) },
  { name: 'a size that is none', code: 'CHART_INVALID', pack: () => tarGz([{ ...CHART, size: -1 }]) },
  member('shop/../../etc/passwd', '0', 'chart illegally references parent directory'),
  member('shop//etc/passwd', '0', 'chart illegally contains absolute paths'),
  member('shop/C:/x', '0', 'chart contains illegally named files'),
  member('shop', '0', 'chart illegally contains content outside the base directory: "shop"'),
  member('Chart.yaml/x', '0', 'chart yaml not in base directory'),
  member('shop/link', '2', 'chart illegally contains a link or a device: "shop/link"'),
  member('shop/hard', '1', 'chart illegally contains a link or a device: "shop/hard"'),
  member('shop/dev', '3', 'chart illegally contains a link or a device: "shop/dev"'),
];
