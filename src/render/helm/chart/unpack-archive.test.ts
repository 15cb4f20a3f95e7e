import { describe, expect, it } from 'vitest';
import { Fault } from '../../../model/faults/index.js';
import { HOSTILE_ARCHIVES } from '../../testing/hostile-archives.js';
import { tarGz } from '../../testing/tar.js';
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
    const files = unpackArchive(
      tarGz([
        { name: 'shop/', type: '5' },
        CHART,
        { name: 'shop/templates/a.yaml', content: '\ufeffkind: A' },
        { name: 'L', type: 'L', content: `${long}\0` },
        { name: long.slice(0, 99), content: 'b' },
        { name: 'pax', type: 'x', content: '30 path=shop/templates/p.yaml\n' },
        { name: 'short', content: 'c' },
        { name: 'shop\\windows\\x.txt', content: 'd' },
      ]),
      'shop.tgz',
    );
    expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['Chart.yaml', CHART.content],
      ['templates/a.yaml', 'kind: A'],
      [long.slice(5), 'b'],
      ['templates/p.yaml', 'c'],
      ['windows/x.txt', 'd'],
    ]);
  });

  it('holds charts in archives in charts', () => {
    const inner = tarGz([{ name: 'sub/Chart.yaml', content: 'apiVersion: v2\nname: sub\nversion: 2.0.0\n' }]);
    const chart = loadArchive(tarGz([CHART, { name: 'shop/charts/sub-2.0.0.tgz', content: inner }]), 'id', 'shop.tgz');
    expect(chart.dependencies.map(({ metadata }) => metadata.name)).toEqual(['sub']);
  });

  it.each(HOSTILE_ARCHIVES.map((archive) => [archive.name, archive] as const))(
    'S34: is refused: %s',
    (name, { pack, code, says = '' }) => {
      expect(faultOf(() => loadArchive(pack(), name, 'shop.tgz'))).toMatchObject({
        code,
        message: expect.stringContaining(says) as string,
      });
    },
  );

  it('S34: of 200 MB is small when it comes', () => {
    expect(HOSTILE_ARCHIVES[0]?.pack().length).toBeLessThan(250_000);
  });
});
