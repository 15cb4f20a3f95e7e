import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PatchSet } from '../../control/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { patchText } from '../repair/index.js';
import type { DriftRow } from './print-drift.js';

/** For each application a patch for git, or, where its file is not here, what to add to it. */
export function writeDriftFixes(folder: string, rows: readonly DriftRow[], sets: readonly PatchSet[]): string[] {
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  const write = (name: string, text: string): void => {
    const path = join(folder, name);
    writeFileSync(path, text);
    written.push(path);
  };
  rows.forEach(({ before }, index) => {
    // Names of applications are names of the cluster: only harmless characters come into a path.
    const safeName = (before.application.metadata.name ?? '').replace(/[^a-z0-9.-]/g, '_').slice(0, 60);
    const name = `${String(index + 1).padStart(2, '0')}-${safeName}`;
    const set = sets.find(({ cause }) => cause.id === before.application.metadata.name);
    if (set !== undefined && set.patches.length > 0) write(`${name}.patch`, patchText(set, set.patches));
    else if (before.edits.length > 0)
      write(
        `${name}.yaml`,
        writeYaml({
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Application',
          metadata: {
            name: before.application.metadata.name ?? '',
            namespace: before.application.metadata.namespace ?? '',
          },
          spec: {
            ignoreDifferences: [...before.rules],
            ...(before.needsRespect ? { syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] } } : {}),
          },
        }),
      );
  });
  return written;
}
