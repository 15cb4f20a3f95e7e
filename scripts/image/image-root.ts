import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { DebianPackage } from './debian-packages.js';
import { neededBy } from './elf.js';

/** Packages with the programs of the image; what they need comes with them. */
export const DEBIAN = ['git', 'openssh-client', 'gpg', 'dash', 'ca-certificates', 'libc6', 'libstdc++6', 'base-files'];

/** Programs that Argosy starts, and a shell for the two scripts with which git asks for credentials and starts ssh. */
const PROGRAMS = [
  'usr/bin/git',
  'usr/lib/git-core/git',
  'usr/lib/git-core/git-remote-http',
  'usr/bin/ssh',
  'usr/bin/gpg',
  'bin/dash',
];
/** Links of the image: where, and what to. */
const LINKS: readonly (readonly [string, string])[] = [
  ['bin', 'usr/bin'],
  ['sbin', 'usr/sbin'],
  ['lib', 'usr/lib'],
  ['lib64', 'usr/lib64'],
  ['usr/bin/sh', 'dash'],
  ['usr/lib/git-core/git-remote-https', 'git-remote-http'],
  ['usr/bin/git-upload-pack', 'git'],
];
const LIBRARY_FOLDERS = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu'];
/** Folders that any user may write. */
const OPEN = ['data', 'tmp'];
export const USER = 10001;

/** The packages of which something is in the image. */
export interface ImageRoot {
  readonly packages: readonly DebianPackage[];
}

/** Puts together the image but for Argosy itself: programs with their libraries, and nothing around them. */
export function makeImageRoot(root: string, packages: readonly DebianPackage[], node: string): ImageRoot {
  for (const folder of ['usr/bin', 'usr/sbin', 'usr/lib64', 'etc/ssl/certs', 'data', 'tmp'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const [from, to] of LINKS) {
    mkdirSync(dirname(join(root, from)), { recursive: true });
    symlinkSync(to, join(root, from));
  }
  const used = new Map<string, DebianPackage>();
  const placed = new Set<string>();
  const take = (path: string): void => {
    const found = packages.find(({ folder }) => existsSync(join(folder, path)));
    if (found === undefined) throw new Error(`no package of Debian has ${path}`);
    used.set(found.name, found);
    place(realpathSync(join(found.folder, path)), path);
  };
  const place = (file: string, path: string): void => {
    if (placed.has(path)) return;
    placed.add(path);
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
    chmodSync(target, 0o755);
    const { interpreter, libraries } = neededBy(file);
    if (interpreter !== undefined) take(interpreter.slice(1));
    for (const library of libraries) take(libraryPath(packages, library));
  };
  for (const path of PROGRAMS) take(path);
  place(node, 'usr/bin/node');
  writeAuthorities(root, packages, used);
  writeAccounts(root);
  const kept = [...used.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  copyLicences(root, packages, kept);
  return { packages: kept };
}

function libraryPath(packages: readonly DebianPackage[], library: string): string {
  if (library.startsWith('ld-linux')) return `lib64/${library}`;
  for (const folder of LIBRARY_FOLDERS)
    if (packages.some((each) => existsSync(join(each.folder, folder, library)))) return `${folder}/${library}`;
  throw new Error(`no package of Debian has the library ${library}`);
}

/** As update-ca-certificates does, without its scripts. */
function writeAuthorities(root: string, packages: readonly DebianPackage[], used: Map<string, DebianPackage>): void {
  const found = packages.find(({ name }) => name === 'ca-certificates');
  if (found === undefined) throw new Error('no package ca-certificates');
  used.set(found.name, found);
  const folder = join(found.folder, 'usr/share/ca-certificates/mozilla');
  const texts = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trimEnd());
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), `${texts.join('\n')}\n`);
}

function writeAccounts(root: string): void {
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0:root:/:/usr/sbin/nologin\nargosy:x:${USER}:${USER}:Argosy:/data:/usr/sbin/nologin\n`,
  );
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nargosy:x:${USER}:\n`);
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
}

function copyLicences(root: string, packages: readonly DebianPackage[], kept: readonly DebianPackage[]): void {
  for (const { name, folder } of kept) {
    const documents = join(folder, 'usr/share/doc', name);
    const copyright = copyrightOf(documents, packages);
    if (copyright === undefined) throw new Error(`the package ${name} has no copyright file`);
    const target = join(root, 'usr/share/doc', name, 'copyright');
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(copyright, target);
  }
  const common = packages.find(({ name }) => name === 'base-files');
  if (common !== undefined)
    cpSync(join(common.folder, 'usr/share/common-licenses'), join(root, 'usr/share/common-licenses'), {
      recursive: true,
      verbatimSymlinks: true,
    });
}

/** Packages of one source share a folder by a link to that of another package. */
function copyrightOf(documents: string, packages: readonly DebianPackage[]): string | undefined {
  const own = join(documents, 'copyright');
  if (existsSync(own)) return own;
  const isLink = lstatSync(documents, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const shared = isLink ? basename(readlinkSync(documents)) : undefined;
  return packages
    .map(({ folder }) => join(folder, 'usr/share/doc', shared ?? '', 'copyright'))
    .find((path) => shared !== undefined && existsSync(path));
}

/** Rights as they are meant, whatever the umask of this machine made of them. */
export function normalizeRights(folder: string, root = folder): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) {
      normalizeRights(path, root);
      chmodSync(path, OPEN.includes(relative(root, path)) ? 0o1777 : 0o755);
    } else chmodSync(path, (lstatSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  if (folder === root) chmodSync(root, 0o755);
}
