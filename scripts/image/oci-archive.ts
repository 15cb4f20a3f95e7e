import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const run = promisify(execFile);
const MEDIA = 'application/vnd.oci.image';

export interface OciImage {
  /** Such as `registry.example.com/argosy:1.0.0`. */
  readonly name: string;
  /** Folders that become layers, from the lowest. */
  readonly layers: readonly { readonly folder: string; readonly about: string }[];
  /** `config` of the image, as OCI has it. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
}

export interface WrittenArchive {
  /** The digest of the manifest, by which a registry knows the image. */
  readonly digest: string;
  /** Bytes of all layers as they are pulled. */
  readonly compressed: number;
  readonly bytes: number;
}

/** Writes an OCI archive that depends on nothing but the files: owners, times and order are fixed. */
export async function writeOciArchive(image: OciImage, path: string): Promise<WrittenArchive> {
  mkdirSync(dirname(path), { recursive: true });
  const work = mkdtempSync(join(dirname(path), 'unfinished-'));
  try {
    const layout = join(work, 'layout');
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
    const layers: { readonly descriptor: Descriptor; readonly diffId: string }[] = [];
    for (const { folder } of image.layers) layers.push(await writeLayer(folder, layout, work));
    const config = putJson(layout, `${MEDIA}.config.v1+json`, {
      created: new Date(0).toISOString(),
      architecture: 'amd64',
      os: 'linux',
      config: { ...image.config, Labels: image.labels },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: image.layers.map(({ about }) => ({ created: new Date(0).toISOString(), created_by: about })),
    });
    const manifest = putJson(layout, `${MEDIA}.manifest.v1+json`, {
      schemaVersion: 2,
      mediaType: `${MEDIA}.manifest.v1+json`,
      config,
      layers: layers.map(({ descriptor }) => descriptor),
      annotations: image.labels,
    });
    const annotations = {
      'io.containerd.image.name': image.name,
      'org.opencontainers.image.ref.name': image.name,
    };
    writeJson(join(layout, 'index.json'), {
      schemaVersion: 2,
      mediaType: `${MEDIA}.index.v1+json`,
      manifests: [{ ...manifest, annotations, platform: { architecture: 'amd64', os: 'linux' } }],
    });
    writeJson(join(layout, 'oci-layout'), { imageLayoutVersion: '1.0.0' });
    await tar(layout, path);
    return {
      digest: manifest.digest,
      compressed: layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0),
      bytes: statSync(path).size,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

async function writeLayer(
  folder: string,
  layout: string,
  work: string,
): Promise<{ readonly descriptor: Descriptor; readonly diffId: string }> {
  const plain = join(work, 'layer.tar');
  await tar(folder, plain);
  const bytes = readFileSync(plain);
  const packed = gzipSync(bytes, { level: 9 });
  return { descriptor: putBlob(layout, `${MEDIA}.layer.v1.tar+gzip`, packed), diffId: `sha256:${sha256(bytes)}` };
}

function putJson(layout: string, mediaType: string, value: unknown): Descriptor {
  return putBlob(layout, mediaType, Buffer.from(JSON.stringify(value)));
}

function putBlob(layout: string, mediaType: string, bytes: Buffer): Descriptor {
  const name = sha256(bytes);
  writeFileSync(join(layout, 'blobs/sha256', name), bytes);
  return { mediaType, digest: `sha256:${name}`, size: bytes.length };
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, JSON.stringify(value));
}

function tar(folder: string, to: string): Promise<unknown> {
  const same = ['--format=gnu', '--numeric-owner', '--owner=0', '--group=0', '--sort=name', '--mtime=@0'];
  return run('tar', [...same, '-C', folder, '-cf', to, '.']);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
