import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Programs that a node takes from Debian: where each is, and the package that brings it. */
const PROGRAMS = {
  containerd: { path: '/usr/bin/containerd', package: 'containerd' },
  runc: { path: '/usr/sbin/runc', package: 'runc' },
  'cni-plugins': { path: '/usr/lib/cni/bridge', package: 'containernetworking-plugins' },
  iptables: { path: '/usr/sbin/iptables', package: 'iptables' },
  conntrack: { path: '/usr/sbin/conntrack', package: 'conntrack' },
  busybox: { path: '/bin/busybox', package: 'busybox-static' },
  debootstrap: { path: '/usr/sbin/debootstrap', package: 'debootstrap' },
} as const;

export type DebianName = keyof typeof PROGRAMS;

export const DEBIAN_NAMES = Object.keys(PROGRAMS) as DebianName[];

/** The full path of an installed program; undefined where its package is not installed. */
export function debianPath(name: DebianName): string | undefined {
  const { path } = PROGRAMS[name];
  return existsSync(path) ? path : undefined;
}

/** Installs its package as root; the answer is why this machine cannot. */
export async function installDebian(name: DebianName): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return `the package ${PROGRAMS[name].package} is not installed, and this is not root`;
  if (!existsSync('/usr/bin/apt-get')) return 'no apt-get';
  const install = (): Promise<unknown> =>
    run('apt-get', ['install', '-y', '--no-install-recommends', PROGRAMS[name].package], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 64 << 20,
    });
  try {
    // The list of packages may be absent or old.
    await install().catch(() => run('apt-get', ['update']).then(install));
    return undefined;
  } catch (error) {
    const lines = error instanceof Error ? error.message.trim().split('\n') : [];
    return `apt-get cannot install ${PROGRAMS[name].package}: ${lines.at(-1) ?? ''}`;
  }
}
