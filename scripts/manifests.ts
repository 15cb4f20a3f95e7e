// npm run manifests
// Writes what is made from src/install: the chart's values, schema, rights and definitions, and the Kustomize base.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployFiles } from '../contracts/install/deploy-files.js';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const [name, text] of deployFiles(root)) {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`${name}\n`);
}
