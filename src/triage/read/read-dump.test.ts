import { expect, it } from 'vitest';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { SnapshotBuilder } from './snapshot-builder.js';
import { jsonReader, yamlReader, type DumpReader } from './read-dump.js';

const pod = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { note: 'a "}" and a \\" and [{' },
});
const names = (builder: SnapshotBuilder): string[] =>
  builder.build(0).objects.map(({ metadata }) => metadata.name ?? '');

/** Fed in pieces of this size. */
function feed(make: (builder: SnapshotBuilder) => DumpReader, text: string, size: number): SnapshotBuilder {
  const builder = new SnapshotBuilder();
  const reader = make(builder);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return builder;
}

const json = (builder: SnapshotBuilder): DumpReader => jsonReader(builder, 'dump.json');
const yaml = (builder: SnapshotBuilder): DumpReader => yamlReader(builder, 'dump.yaml');

it.each([1, 3, 7, 64, 100_000])('reads lists, bare lists and documents of JSON in pieces of %i bytes', (size) => {
  const list = JSON.stringify({
    apiVersion: 'v1',
    items: [pod('a'), pod('b')],
    kind: 'List',
    metadata: { resourceVersion: '' },
  });
  expect(names(feed(json, list, size))).toEqual(['a', 'b']);
  expect(
    names(
      feed(
        json,
        JSON.stringify(
          { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'x' } }] },
          null,
          2,
        ),
        size,
      ),
    ),
  ).toEqual(['x']);
  expect(names(feed(json, JSON.stringify([pod('c')]) + JSON.stringify(pod('d')), size))).toEqual(['c', 'd']);
});

it('reads a truncated file up to the cut, and says so', () => {
  const text = JSON.stringify({ items: [pod('a'), pod('b')] });
  const cut = feed(json, text.slice(0, text.length - 30), 16);
  expect(names(cut)).toEqual(['a']);
  expect(cut.build(0).problems.join()).toContain('truncated in the middle');
  const list =
    `apiVersion: v1\nitems:\n- ${writeYaml(pod('a')).trim().replaceAll('\n', '\n  ')}\n- apiVersion: v1\n  ` +
    'kind: Pod\n  metadata:\n    name: [\n';
  const broken = feed(yaml, list, 11);
  expect(names(broken)).toEqual(['a']);
  expect(broken.build(0).problems.join()).toContain('line ');
});

it('reads lists and documents of YAML', () => {
  const item = (name: string): string => `- ${writeYaml(pod(name)).trim().replaceAll('\n', '\n  ')}\n`;
  expect(
    names(
      feed(yaml, `apiVersion: v1\nitems:\n${item('a')}${item('b')}kind: List\nmetadata:\n  resourceVersion: ""\n`, 9),
    ),
  ).toEqual(['a', 'b']);
  expect(names(feed(yaml, `---\n${writeYaml(pod('c'))}---\n${writeYaml(pod('d'))}`, 5))).toEqual(['c', 'd']);
});

it('keeps the newest version of a duplicate object in any order', () => {
  const old = { ...pod('a'), metadata: { name: 'a', resourceVersion: '9' } };
  const newer = { ...pod('a'), metadata: { name: 'a', resourceVersion: '10' } };
  for (const order of [
    [old, newer],
    [newer, old],
  ])
    expect(
      feed(json, JSON.stringify({ items: order }), 50)
        .build(0)
        .objects.map(({ metadata }) => metadata.resourceVersion),
    ).toEqual(['10']);
});

it('keeps no value of a Secret, only its keys and what is public', () => {
  const secret = (data: Record<string, string>): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'hunter2' } },
      data,
    });
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const built = feed(
    json,
    secret({
      password: encoded('hunter2'),
      url: encoded('https://user:hunter2@git.example/x'),
      '.dockerconfigjson': encoded('{"auths":{"ghcr.io":{"auth":"hunter2"}}}'),
    }),
    50,
  ).build(0);
  expect(JSON.stringify(built)).not.toContain('hunter2');
  expect(JSON.stringify(built)).not.toContain(encoded('hunter2').slice(0, 8));
  expect(built.objects[0]).toMatchObject({
    data: { password: '', url: '' },
    known: { url: 'https://git.example/x', hosts: ['ghcr.io'] },
  });
});
