import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { writeYaml } from '../../model/yaml/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { Report, Snapshot } from '../../triage/index.js';
import { collectFiles } from './collect-files.js';
import { triageWithCatalogue } from './testing/catalogue-triage.js';

const folder = mkdtempSync(join(tmpdir(), 'triage-bad-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

const pod = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { nodeName: 'n', containers: [{ name: 'app', image: 'x:1' }] },
  status: {
    phase: 'Pending',
    containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } } }],
  },
  ...more,
});
const LIST: JsonObject = {
  apiVersion: 'v1',
  items: [pod('a'), pod('b')],
  kind: 'List',
  metadata: { resourceVersion: '' },
};

/** A file of its own for each text, under a name that ends so. */
function file(bytes: string | Buffer, end = '.json'): string {
  const path = join(folder, `f${count++}${end}`);
  writeFileSync(path, bytes);
  return path;
}

const read = (...paths: string[]): Promise<Snapshot> => collectFiles(paths, { now: 0 });
const names = ({ objects }: Snapshot): string[] => objects.map(({ metadata }) => metadata.name ?? '');
const rules = (snapshot: Snapshot): string[] =>
  triageWithCatalogue(snapshot).causes.map(({ rule }: Report['causes'][number]) => rule);

/**
 * What a cut file may give: a sentence, or what comes before the cut with the word that there was more. Never a whole
 * snapshot with less in it.
 */
async function isReportedAsTruncated(path: string): Promise<boolean> {
  try {
    const snapshot = await read(path);
    return snapshot.isPartial === true && snapshot.problems.length > 0;
  } catch (error) {
    return (error as { code?: string }).code === 'FILE_UNREADABLE';
  }
}

describe('a truncated dump', () => {
  it('is reported as truncated at every byte of its JSON', async () => {
    const bytes = Buffer.from(JSON.stringify(LIST, null, 1));
    const path = join(folder, 'cut.json');
    for (let end = 0; end < bytes.length; end++) {
      writeFileSync(path, bytes.subarray(0, end));
      expect(
        await isReportedAsTruncated(path),
        `cut after ${end} bytes: ${bytes.subarray(Math.max(0, end - 20), end).toString()}`,
      ).toBe(true);
    }
  });

  it('is reported as truncated at every line of a YAML list', async () => {
    const item = (name: string): string => `- ${writeYaml(pod(name)).trimEnd().replaceAll('\n', '\n  ')}\n`;
    const lines =
      `apiVersion: v1\nitems:\n${item('a')}${item('b')}kind: List\nmetadata:\n  resourceVersion: ""\n`.split('\n');
    for (let end = 3; end < lines.length - 3; end++)
      expect(await isReportedAsTruncated(file(lines.slice(0, end).join('\n'), '.yaml')), lines[end - 1]).toBe(true);
  });

  it('is reported as truncated if it is compressed', async () => {
    const bytes = gzipSync(JSON.stringify(LIST));
    for (let end = 0; end < bytes.length - 1; end += 7)
      expect(await isReportedAsTruncated(file(bytes.subarray(0, end), '.json.gz')), `after ${end}`).toBe(true);
    expect(names(await read(file(bytes, '.json.gz')))).toEqual(['a', 'b']);
  });
});

describe('the format of a file is detected from its content', () => {
  const text = JSON.stringify(LIST);

  it.each([
    [
      'UTF-16 with its mark, as PowerShell writes',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
      '.json',
    ],
    [
      'UTF-16 the other way round',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]),
      '.txt',
    ],
    ['UTF-8 with a mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]), '.json'],
    ['JSON that is called YAML', Buffer.from(text), '.yaml'],
    ['YAML that is called JSON', Buffer.from(writeYaml(LIST)), '.json'],
    ['a name that says nothing', Buffer.from(text), '.dump'],
    ['compressed without a name for it', gzipSync(text), ''],
    [
      'a line for each object',
      Buffer.from(`${JSON.stringify(pod('a'))}\r\n${JSON.stringify(pod('b'))}\r\n`),
      '.ndjson',
    ],
    ['a list in a list', Buffer.from(JSON.stringify({ ...LIST, items: [LIST] })), '.json'],
    ['a bare list', Buffer.from(JSON.stringify(LIST.items)), '.json'],
  ])('%s', async (_what, bytes, end) => {
    const snapshot = await read(file(bytes, end));
    expect([names(snapshot), snapshot.problems, rules(snapshot)]).toEqual([['a', 'b'], [], ['E01']]);
  });

  it.each([
    ['nothing', '', '.json'],
    ['nothing but space', ' \n\n ', '.json'],
    ['a word', 'forbidden', '.json'],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]), '.json'],
    ['brackets', '[[[[{{', '.json'],
    ['closing brackets', '}}}]]]', '.json'],
    ['a number', '17', '.json'],
    ['another YAML', 'colour: blue\n', '.yaml'],
    ['YAML that is none', 'a: [\n', '.yaml'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), ''],
    ['prose', 'Dear all,\nit does not work.\n', '.txt'],
    ['an archive of zip', Buffer.from('504b0304140000000800', 'hex'), '.zip'],
  ])('%s is no dump', async (_what, bytes, end) => {
    await expect(read(file(bytes, end))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  it('text between objects is reported, and the objects are read', async () => {
    const snapshot = await read(
      file(`${JSON.stringify(pod('a'))}\nError from server (Forbidden): secrets is forbidden\n`),
    );
    expect([names(snapshot), snapshot.isPartial]).toEqual([['a'], true]);
  });
});

describe('objects of a dump', () => {
  it('in several versions are one, and the stable one stays', async () => {
    const route = (version: string): JsonObject => ({
      apiVersion: `external-secrets.io/${version}`,
      kind: 'ExternalSecret',
      metadata: { name: 'x', namespace: 'shop', resourceVersion: '7' },
      spec: {},
      status: {},
    });
    for (const order of [
      ['v1beta1', 'v1', 'v1alpha1'],
      ['v1', 'v1alpha1', 'v1beta1'],
    ])
      expect(
        (await read(file(JSON.stringify({ items: order.map(route) })))).objects.map(({ apiVersion }) => apiVersion),
      ).toEqual(['external-secrets.io/v1']);
  });

  it('that come twice are one, whatever file is named first', async () => {
    const [old, young] = [
      file(JSON.stringify(pod('a', { metadata: { name: 'a', namespace: 'shop', resourceVersion: '9' } }))),
      file(JSON.stringify(pod('a', { metadata: { name: 'a', namespace: 'shop', resourceVersion: '10' } }))),
    ];
    expect(JSON.stringify(await read(old, young))).toBe(JSON.stringify(await read(young, old)));
  });

  it('with numbers out of range are evaluated', async () => {
    const text = JSON.stringify(
      pod('a', { spec: { nodeName: 'n', priority: 0, containers: [{ name: 'app', image: 'x:1' }] } }),
    ).replace('"priority":0', '"priority":123456789012345678901234567890,"grace":1e999');
    expect(rules(await read(file(text)))).toEqual(['E01']);
    const times = pod('b', {
      metadata: { name: 'b', namespace: 'shop', creationTimestamp: '+275760-09-13T00:00:00Z' },
    });
    expect(triageWithCatalogue(await read(file(JSON.stringify(times)))).causes).toHaveLength(1);
  });

  it('that are nested too deeply are named, and the others are read', async () => {
    const spec = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const deep = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"deep"},"spec":${spec}}`;
    const snapshot = await read(file(`{"items":[${deep},${JSON.stringify(pod('a'))}]}`));
    expect([names(snapshot), snapshot.isPartial]).toEqual([['a'], true]);
  });

  it('that are not UTF-8 are read as far as possible', async () => {
    const bytes = Buffer.from(
      JSON.stringify(pod('a')).replace('manifest unknown', 'manifest unknown \u00e9'),
      'latin1',
    );
    expect(rules(await read(file(bytes)))).toEqual(['E01']);
  });
});

describe('folders and archives', () => {
  const bundle = join(folder, 'bundle');
  mkdirSync(join(bundle, 'cluster-resources/pods'), { recursive: true });
  writeFileSync(
    join(bundle, 'cluster-resources/pods/shop.json'),
    JSON.stringify({ kind: 'PodList', items: [{ ...pod('a'), kind: undefined, apiVersion: undefined }] }),
  );

  it('with link cycles, sockets and pipes are read without them', async () => {
    symlinkSync('..', join(bundle, 'cluster-resources/loop'));
    symlinkSync('/dev/zero', join(bundle, 'endless.json'));
    execFileSync('mkfifo', [join(bundle, 'pipe.json')]);
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(join(bundle, 'socket.json'), resolve));
    try {
      expect(names(await read(bundle))).toEqual(['a']);
      await expect(read(join(bundle, 'socket.json'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    await expect(read('/dev/zero')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  it('in archives are read, and truncated archives are reported', async () => {
    const packed = execFileSync('tar', ['-cz', '-C', folder, 'bundle/cluster-resources/pods'], { maxBuffer: 1e8 });
    expect(names(await read(file(packed, '.tar.gz')))).toEqual(['a']);
    for (let end = 20; end < packed.length - 8; end += 11)
      expect(await isReportedAsTruncated(file(packed.subarray(0, end), '.tar.gz')), `after ${end}`).toBe(true);
  });
});
