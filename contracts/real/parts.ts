import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildGo, hasGo, isUnreachable, lock, partsDir } from './go-build.js';

export const KUBERNETES_VERSION = 'v1.34.4';

const VERSION_FLAGS = [
  `-X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=34',
].join(' ');

/** Each program and the Go package that is its main. */
export const PACKAGES = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
  'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
} as const;

export type PartName = keyof typeof PACKAGES;

/** What suites without a node need; the others are built by `npm run parts` alone. */
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'] as const;

/** Full paths of the built programs, or the reason why this machine cannot have them. */
type Parts =
  | { readonly kind: 'built'; readonly path: (name: PartName) => string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The real control plane of Kubernetes, built once into a cache outside the repository and then reused. About six
 * minutes the first time. A machine without Go or without the module proxy gets `missing`, so that a suite can be
 * skipped by name instead of failing.
 */
export async function realParts(names: readonly PartName[] = CONTROL_PLANE): Promise<Parts> {
  const path = partPath;
  const dir = dirname(path('etcd'));
  if (names.every((name) => existsSync(path(name)))) return { kind: 'built', path };
  if (!(await hasGo())) return { kind: 'missing', reason: 'no Go toolchain' };
  await mkdir(dir, { recursive: true });
  const unlock = await lock(join(dir, '.lock'));
  try {
    for (const name of names) {
      if (!existsSync(path(name))) await build(name, path(name));
    }
    return { kind: 'built', path };
  } catch (error) {
    if (isUnreachable(error)) return { kind: 'missing', reason: 'the Go module proxy is not reachable' };
    throw error;
  } finally {
    await unlock();
  }
}

/** Where a program is once it is built. */
export function partPath(name: PartName): string {
  return join(partsDir(`kubernetes-${KUBERNETES_VERSION}`), name);
}

/** Thrown where this machine cannot have a part; the message is the name of the skip. */
class PartMissing extends Error {}

/** The full path of one program. */
export async function builtPart(name: PartName): Promise<string> {
  const parts = await realParts([name]);
  if (parts.kind === 'missing') throw new PartMissing(`skipped: ${name} (${parts.reason})`);
  return parts.path(name);
}

function build(name: PartName, path: string): Promise<void> {
  return buildGo({
    dir: join(import.meta.dirname, 'go'),
    target: PACKAGES[name],
    path,
    flags: ['-ldflags', `-s -w ${VERSION_FLAGS}`],
  });
}
