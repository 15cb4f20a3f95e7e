import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** Where its files are unpacked. */
  readonly folder: string;
}

/** Debian's packages with everything that they need, as apt verifies and downloads them, each unpacked on its own. */
export async function debianPackages(names: readonly string[], work: string): Promise<DebianPackage[]> {
  const [archives, unpacked, status] = [join(work, 'archives'), join(work, 'unpacked'), join(work, 'status')];
  mkdirSync(join(archives, 'partial'), { recursive: true });
  mkdirSync(unpacked, { recursive: true });
  // As if nothing were installed here: the same packages wherever the image is made.
  writeFileSync(status, '');
  const download = (): Promise<unknown> =>
    run(
      'apt-get',
      [
        ...['install', '--yes', '--download-only', '--no-install-recommends'],
        ...['-o', `Dir::State::status=${status}`, '-o', `Dir::Cache::archives=${archives}`, '-o', 'Debug::NoLocking=1'],
        ...['-o', 'APT::Architecture=amd64', '-o', 'APT::Architectures=amd64'],
        ...names,
      ],
      { maxBuffer: 64 << 20 },
    );
  // The list of packages may be absent or old.
  await download().catch(() => run('apt-get', ['update']).then(download));
  const files = readdirSync(archives)
    .filter((file) => file.endsWith('.deb'))
    .sort();
  const packages: DebianPackage[] = [];
  for (const file of files) packages.push(await unpack(join(archives, file), unpacked));
  return packages;
}

async function unpack(archive: string, folder: string): Promise<DebianPackage> {
  const { stdout } = await run('dpkg-deb', ['--show', '--showformat=${Package} ${Version}', archive]);
  const [name = '', version = ''] = stdout.trim().split(' ');
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  await run('dpkg-deb', ['--extract', archive, target]);
  return { name, version, sha256: createHash('sha256').update(readFileSync(archive)).digest('hex'), folder: target };
}
