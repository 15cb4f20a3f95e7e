// The licences of the packages that are bundled into dist/, as each of them demands.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The packages that the paths lie in. */
export function packagesOf(paths) {
  const names = paths.map((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** One text with the licence of every package. */
export function licencesOf(root, packages) {
  return packages.map((name) => licenceOf(join(root, 'node_modules', name))).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = existsSync(folder) && readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trimEnd() : ''}\n`;
}
