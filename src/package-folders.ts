import { fileURLToPath } from 'node:url';

/** What the package carries beside its code; found from `src/` and from `dist/` alike. */
const folder = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

export const CATALOGUE = folder('catalogue');
export const CRDS = folder('crds');
export const RUNNER = folder('runner');
export const WORLD = folder('world');
