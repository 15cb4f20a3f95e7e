import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import { Accuracy } from './triage/accuracy.js';

/**
 * `npm run bench:triage -- DIR...`: triage of fault worlds (npm run world -- --cases N --out DIR) against their labels.
 */
function worldsBelow(root: string): string[] {
  if (existsSync(join(root, 'label.yaml'))) return [root];
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort()
    .map((name) => join(root, name))
    .filter((folder) => existsSync(join(folder, 'label.yaml')));
}

const { values, positionals } = readFlags({
  options: { missed: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folders = positionals.flatMap(worldsBelow);
if (folders.length === 0) {
  process.stderr.write(
    'usage: npm run bench:triage -- DIR... [--missed], with fault worlds below DIR: npm run world -- ' +
      '--cases 60 --out DIR writes them\n',
  );
  process.exit(20);
}
const accuracy = new Accuracy();
for (const folder of folders) await accuracy.measure(folder);
for (const line of [...accuracy.lines(), ...(values.missed ? accuracy.missed() : [])]) console.log(line);
