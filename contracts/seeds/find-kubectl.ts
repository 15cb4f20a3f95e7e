import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { realParts } from '../real/parts.js';

type Kubectl =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** The newest kubectl where it can be built, else the one that the system has, such as Debian's. */
export async function findKubectl(): Promise<Kubectl> {
  const parts = await realParts(['kubectl']);
  if (parts.kind === 'built') return { kind: 'found', path: parts.path('kubectl') };
  const installed = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .find((path) => existsSync(path));
  return installed === undefined ? parts : { kind: 'found', path: installed };
}
