import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../model/index.js';
import { tar, tarGz } from '../../testing/tar.js';
import { loadArchive } from './load-files.js';
import { unpackArchive } from './unpack-archive.js';

const CHART = { name: 'shop/Chart.yaml', content: 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' };

function faultOf(act: () => unknown): Fault {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('an archive', () => {
  it('gives its files without the folder around them', () => {
    const long = `shop/templates/${'long'.repeat(30)}.yaml`;
    const files = unpackArchive(tarGz([
      { name: 'shop/', type: '5' }, CHART, { name: 'shop/templates/a.yaml', content: '\ufeffkind: A' }, { name: 'L', type: 'L', content: `${long}\0` }, { name: long.slice(0, 99), content: 'b' },
      { name: 'pax', type: 'x', content: '30 path=shop/templates/p.yaml\n' }, { name: 'short', content: 'c' }, { name: 'shop\\windows\\x.txt', content: 'd' },
    ]), 'shop.tgz');
    expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['Chart.yaml', CHART.content], ['templates/a.yaml', 'kind: A'], [long.slice(5), 'b'], ['templates/p.yaml', 'c'], ['windows/x.txt', 'd'],
    ]);
  });

  it('holds charts in archives in charts', () => {
    const inner = tarGz([{ name: 'sub/Chart.yaml', content: 'apiVersion: v2\nname: sub\nversion: 2.0.0\n' }]);
    const chart = loadArchive(tarGz([CHART, { name: 'shop/charts/sub-2.0.0.tgz', content: inner }]), 'id', 'shop.tgz');
    expect(chart.dependencies.map(({ metadata }) => metadata.name)).toEqual(['sub']);
  });

  it.each([
    ['shop/../../etc/passwd', '0', 'chart illegally references parent directory'],
    ['shop//etc/passwd', '0', 'chart illegally contains absolute paths'],
    ['shop/C:/x', '0', 'chart contains illegally named files'],
    ['shop', '0', 'chart illegally contains content outside the base directory: "shop"'],
    ['Chart.yaml/x', '0', 'chart yaml not in base directory'],
    ['shop/link', '2', 'chart illegally contains a link or a device: "shop/link"'],
    ['shop/hard', '1', 'chart illegally contains a link or a device: "shop/hard"'],
    ['shop/dev', '3', 'chart illegally contains a link or a device: "shop/dev"'],
  ])('is refused for %s of type %s', (name, type, message) => {
    expect(faultOf(() => unpackArchive(tarGz([CHART, { name, type }]), 'shop.tgz')).message).toBe(message);
  });

  it.each([
    ['no archive', Buffer.from('kind: X')], ['an empty one', tarGz([])], ['a cut one', gzipSync(tar([{ ...CHART, content: 'x'.repeat(5000) }]).subarray(0, 1024))],
    ['a wrong checksum', gzipSync(Buffer.alloc(1024, 1))], ['a size that is none', tarGz([{ ...CHART, size: -1 }])],
  ])('is refused when it is %s', (_name, bytes) => {
    expect(faultOf(() => unpackArchive(bytes, 'shop.tgz')).code).toBe('CHART_INVALID');
  });

  it('that grows without measure is refused before it does', () => {
    // Twenty streams in a row count as one.
    const piece = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const bomb = Buffer.concat(Array.from({ length: 20 }, () => piece));
    const packed = performance.now();
    const memory = process.memoryUsage().rss;
    expect(bomb.length).toBeLessThan(250_000);
    expect(faultOf(() => unpackArchive(bomb, 'shop.tgz')).code).toBe('RENDER_LIMIT');
    expect(performance.now() - packed).toBeLessThan(2_000);
    expect(process.memoryUsage().rss - memory).toBeLessThan(256 * 1024 * 1024);
  });

  it('with a million entries is refused', () => {
    const one = tar([{ name: 'shop/x' }]).subarray(0, 512);
    const many = Buffer.alloc(512 * 100_000);
    for (let at = 0; at < many.length; at += 512) one.copy(many, at);
    expect(faultOf(() => unpackArchive(gzipSync(many), 'shop.tgz')).message).toMatch(/entries|maximum size/);
  });

  it('with a file that is too large, or too much in all, is refused', () => {
    const noise = Buffer.from(Array.from({ length: 64 * 1024 }, (_byte, index) => (index * 7919 + (index >> 3)) % 251));
    const large = Buffer.concat(Array.from({ length: 81 }, () => noise));
    expect(faultOf(() => unpackArchive(tarGz([CHART, { name: 'shop/large', content: large }]), 'shop.tgz')).code).toBe('RENDER_LIMIT');
  });

  it('with charts nested without end is refused', () => {
    let bytes = tarGz([CHART]);
    for (let depth = 0; depth < 25; depth++) bytes = tarGz([CHART, { name: 'shop/charts/shop.tgz', content: bytes }]);
    expect(faultOf(() => loadArchive(bytes, 'nested', 'shop.tgz')).code).toBe('RENDER_LIMIT');
  });
});
