// What dist/ is made of, as one line: another line means that it has to be built again. Sizes and times are enough, and
// reading two thousand files would take longer than starting the program.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'world', 'web', 'scripts'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const IS_SOURCE = /\.(ts|tsx|mjs|css|html|svg|json|tpl)$/;
/** Data of tests, which is most of what there is. */
const LEFT_OUT = new Set(['cases', 'seed-cases', 'testing', 'stories', 'controllers', 'node_modules']);

/** @param {string} root */
export function describeSources(root) {
  const lines = FILES.map((file) => lineOf(root, file));
  for (const folder of FOLDERS) walk(root, folder, lines);
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function walk(root, folder, lines) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      // Controllers of the API server are code, those of the world are data that is read when it starts.
      if (!LEFT_OUT.has(entry.name) || path === 'src/apiserver/controllers') walk(root, path, lines);
    } else if (
      (IS_SOURCE.test(path) || (path.includes('/charts/') && path.endsWith('.yaml'))) &&
      !path.endsWith('.test.ts')
    )
      lines.push(lineOf(root, path));
  }
}

function lineOf(root, path) {
  const { size, mtimeMs } = statSync(join(root, path));
  return `${path} ${size} ${mtimeMs}`;
}
