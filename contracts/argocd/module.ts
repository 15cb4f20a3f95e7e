import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const MODULE = 'github.com/argoproj/argo-cd/v3@v3.5.6';

/** The folder of Argo CD's source in the cache of Go modules, fetched where it is not there yet; undefined without Go. */
export function argoCdModule(): string | undefined {
  const asked = spawnSync('go', ['mod', 'download', '-json', MODULE], { encoding: 'utf8', cwd: '/' });
  if (asked.status !== 0) return undefined;
  const { Dir } = JSON.parse(asked.stdout) as { Dir?: string };
  return Dir !== undefined && existsSync(Dir) ? Dir : undefined;
}

/** Argo CD's own health checks and actions, with their cases. */
export function resourceCustomizations(): string | undefined {
  const module = argoCdModule();
  return module === undefined ? undefined : join(module, 'resource_customizations');
}
