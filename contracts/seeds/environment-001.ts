import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Platform } from '../deliver/seed-001/platform.js';
import { Seed } from '../deliver/seed-001/seed.js';
import type { ShellEnvironment } from './shell-environment.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const GUIDE = 'docs/01-ARCHITECTURE';

/**
 * Eight applications of a platform, all delivered, and somebody's clone of their repository with the fixes in it, which
 * are not committed yet.
 */
export async function openEnvironment(): Promise<ShellEnvironment> {
  const platform = await Platform.open(Seed.read());
  await platform.deliver();
  await platform.create(
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'gpu-quota' },
      spec: { hard: { 'requests.nvidia.com/gpu': '4' } },
    },
    'private-ai-demo',
  );
  const folder = join(mkdtempSync(join(tmpdir(), 'argosy-seed-001-')), 'platform');
  await platform.checkOut(folder, ['broken', 'fixed', 'respected']);
  mkdirSync(join(folder, GUIDE), { recursive: true });
  writeFileSync(join(folder, GUIDE, 'ARGOCD-GITOPS-ALIGNMENT.md'), '# How our applications are written\n');
  // People have their name in a file of their home, which is this folder.
  writeFileSync(
    join(folder, '.gitconfig'),
    '[user]\n  name = kim\n  email = kim@example.com\n[advice]\n  detachedHead = false\n',
  );
  const argosy = `ARGOSY_NAMESPACE=openshift-gitops exec '${process.execPath}' --disable-proto=delete '${MAIN}' "$@"`;
  return {
    kubeconfig: platform.kubeconfigPath,
    folder,
    programs: { argosy, argocd: argosy },
    close: async () => {
      await platform.close();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}
