import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ARGO_CD = 'github.com/argoproj/argo-cd/v3@v3.5.6';
// Argo CD builds with a folder of its own repository, which the archive of its module leaves out; this is that folder
// as a module.
const GITOPS_ENGINE = 'github.com/argoproj/argo-cd/gitops-engine@v0.0.0-20260914071520-c9c369efcc5b';

/**
 * The folder of Argo CD's source in the cache of Go modules, fetched where it is not there yet; undefined without Go.
 */
export function argoCdModule(): string | undefined {
  return goModule(ARGO_CD);
}

/** The rules of Argo CD that are written in Go, with their cases. */
export function gitopsEngineModule(): string | undefined {
  return goModule(GITOPS_ENGINE);
}

function goModule(module: string): string | undefined {
  const asked = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: '/' });
  if (asked.status !== 0) return undefined;
  const { Dir } = JSON.parse(asked.stdout) as { Dir?: string };
  return Dir !== undefined && existsSync(Dir) ? Dir : undefined;
}

/** Argo CD's own health checks and actions, with their cases. */
export function resourceCustomizations(): string | undefined {
  const module = argoCdModule();
  return module === undefined ? undefined : join(module, 'resource_customizations');
}
