import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { partsDir } from '../real/go-build.js';

const run = promisify(execFile);

/** An image of one layer, made of files of this machine. */
export interface ImageSpec {
  readonly name: string;
  /** By path in the image: a file of this machine, a text, or what a link points to. */
  readonly files: Readonly<Record<string, ImageFile>>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly user?: string;
  readonly env?: readonly string[];
}

type ImageFile = { readonly from: string } | { readonly text: string } | { readonly link: string };

const SEARCH_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const ACCOUNTS: ImageSpec['files'] = {
  'etc/passwd': { text: 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' },
  'etc/group': { text: 'root:x:0:\nnogroup:x:65534:\n' },
  'tmp/.keep': { text: '' },
};

/** Debian's busybox with all of its commands, under the names that the manifests of the tests use. */
export async function busyboxImage(busybox: string, name = 'busybox:1.35'): Promise<ImageSpec> {
  const { stdout } = await run(busybox, ['--list']);
  const commands = stdout.split('\n').filter((command) => command !== '' && command !== 'busybox');
  const links = commands.map((command) => [`bin/${command}`, { link: 'busybox' }] as const);
  return {
    name,
    files: { 'bin/busybox': { from: busybox }, ...Object.fromEntries(links), ...ACCOUNTS },
    command: ['sh'],
  };
}

/** What holds the namespaces of a pod: does nothing for ever. */
export function pauseImage(busybox: string): ImageSpec {
  return {
    name: 'local/pause:1',
    files: { 'bin/busybox': { from: busybox } },
    entrypoint: ['/bin/busybox', 'sleep', '2000000000'],
  };
}

/** One program that needs no others. */
export function programImage(name: string, program: string, more: ImageSpec['files'] = {}): ImageSpec {
  return { name, files: { program: { from: program }, ...ACCOUNTS, ...more }, entrypoint: ['/program'] };
}

/** An archive as `docker save` writes it, made once for each state of its content; the answer is its path. */
export async function imageArchive(spec: ImageSpec): Promise<string> {
  const folder = partsDir('images');
  const path = join(folder, `${digestOf(spec).slice(0, 24)}.tar`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'unfinished-'));
  try {
    await writeArchive(spec, work);
    renameSync(join(work, 'image.tar'), path);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function digestOf(spec: ImageSpec): string {
  const hash = createHash('sha256').update(JSON.stringify(spec));
  for (const file of Object.values(spec.files)) if ('from' in file) hash.update(readFileSync(file.from));
  return hash.digest('hex');
}

async function writeArchive(spec: ImageSpec, work: string): Promise<void> {
  const root = join(work, 'root');
  for (const [path, file] of Object.entries(spec.files)) place(join(root, path), file);
  chmodSync(root, 0o755);
  if (existsSync(join(root, 'tmp'))) chmodSync(join(root, 'tmp'), 0o1777);
  const archive = join(work, 'archive');
  mkdirSync(archive);
  const layer = join(archive, 'layer.tar');
  await tar(root, layer);
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {
      User: spec.user ?? '',
      WorkingDir: '/',
      Env: [SEARCH_PATH, ...(spec.env ?? [])],
      ...(spec.entrypoint === undefined ? {} : { Entrypoint: spec.entrypoint }),
      ...(spec.command === undefined ? {} : { Cmd: spec.command }),
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(readFileSync(layer))}`] },
  });
  const name = `${sha256(Buffer.from(config))}.json`;
  writeFileSync(join(archive, name), config);
  const manifest = [{ Config: name, RepoTags: [spec.name], Layers: ['layer.tar'] }];
  writeFileSync(join(archive, 'manifest.json'), JSON.stringify(manifest));
  await tar(archive, join(work, 'image.tar'));
}

function place(path: string, file: ImageFile): void {
  mkdirSync(dirname(path), { recursive: true });
  if ('link' in file) return symlinkSync(file.link, path);
  if ('text' in file) return writeFileSync(path, file.text);
  copyFileSync(file.from, path);
}

function tar(folder: string, to: string): Promise<unknown> {
  const same = ['--numeric-owner', '--owner=0', '--group=0', '--sort=name', '--mtime=@0'];
  return run('tar', [...same, '-C', folder, '-cf', to, '.']);
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
