// The licences of the packages that are bundled into dist/, as each of them demands.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One text with the licence of every package that one of the paths lies in. */
export function licencesOf(root, paths) {
  const names = paths.map((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  const packages = [...new Set(names.filter((name) => name !== undefined))].sort();
  return packages.map((name) => licenceOf(join(root, 'node_modules', name))).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = existsSync(folder) && readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trimEnd() : ''}\n`;
}
