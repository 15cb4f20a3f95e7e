// Bundles web/ into dist/web, unless what is there is newer than everything it is made of.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const filesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
const age = (file) => statSync(file).mtimeMs;

/**
 * Files are replaced one by one and the page that names them last, so that a server that starts meanwhile finds a whole
 * set.
 */
export async function buildWeb(root) {
  const [source, target] = [join(root, 'web'), join(root, 'dist/web')];
  const page = join(target, 'index.html');
  const inputs = [...filesIn(source), join(root, 'package-lock.json'), join(root, 'scripts/build-web.mjs')];
  if (existsSync(page) && inputs.every((file) => age(file) < age(page))) return;
  const { build } = await import('vite');
  const { output } = await build({
    configFile: join(source, 'vite.config.ts'),
    logLevel: 'error',
    build: { write: false },
  });
  const made = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));
  for (const file of filesIn(join(source, 'public')))
    made.set(relative(join(source, 'public'), file), readFileSync(file));
  const order = [...made].sort(([a], [b]) => Number(a === 'index.html') - Number(b === 'index.html'));
  for (const [name, content] of order) {
    const path = join(target, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  }
  for (const file of filesIn(target)) if (!made.has(relative(target, file))) rmSync(file);
}
