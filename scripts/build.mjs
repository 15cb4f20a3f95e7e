// Checks the types of src/ and bundles it into dist/: dist/main.js is the program, code that it loads on demand stays
// in files of its own. Loading hundreds of modules one by one would take longer than everything else at start.
// `--without-types` leaves the types to `npm run types`, as tests do.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildWeb } from './build-web.mjs';
import { LIBRARY, declareLibrary } from './declare-library.mjs';
import { licencesOf, packagesOf } from './licences.mjs';
import { billOfMaterials } from './sbom.mjs';
import { describeSources } from './sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// Before anything is read: what changes while it is built is built again by the next start.
const sources = describeSources(root);
rmSync(join(dist, '.built'), { force: true });
/** What the page is bundled with. */
const WEB_PACKAGES = ['react', 'react-dom', 'scheduler'].map((name) => `node_modules/${name}/`);
const compiler = join(root, 'node_modules/typescript-native/bin/tsc');

function checkTypes() {
  return new Promise((resolve) => {
    spawn(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' }).once(
      'exit',
      (code) => resolve(code ?? 1),
    );
  });
}
const types = process.argv.includes('--without-types') ? 0 : checkTypes();

const web = buildWeb(root).then(
  () => 0,
  (error) => {
    console.error(String(error?.message ?? error));
    return 1;
  },
);

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  // Workers are programs of their own, for processes and threads; so is the server, for a process.
  entryPoints: [
    'src/main.ts',
    'src/control/manifests/render-worker.ts',
    'src/control/manifests/render-guard.ts',
    'src/control/background/background-worker.ts',
    'src/api/access/passwords/password-worker.ts',
    'src/server-process.ts',
    // What package.json exports.
    ...LIBRARY.map((name) => `src/library/${name}.ts`),
  ],
  entryNames: '[name]',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Flat, because data files are found beside the code that reads them.
  alias: { undici: join(root, 'scripts/undici.mjs') },
  chunkNames: '[name]-[hash]',
  // Packages in the older module format ask for the modules of Node with require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  // Half as much for the engine to read at each start; names stay, for whoever reads a stack.
  minifyWhitespace: true,
  // For debuggers and `node --enable-source-maps`; the sources themselves are in the repository.
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
}).catch(() => process.exit(1));

mkdirSync(dist, { recursive: true });
for (const data of ['src/apiserver/schema/data', 'src/api/rpc/data'])
  cpSync(join(root, data), join(dist, 'data'), { recursive: true });
cpSync(join(root, 'world/fleet/charts'), join(dist, 'charts'), { recursive: true });
// The entry comes last and each file at once, so that a program that starts meanwhile finds a whole set.
for (const { path, text } of [...outputFiles].sort(
  (a, b) => Number(basename(a.path) === 'main.js') - Number(basename(b.path) === 'main.js'),
)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
chmodSync(join(dist, 'main.js'), 0o755);
const packages = packagesOf([...Object.keys(metafile.inputs), ...WEB_PACKAGES]);
const texts = new Map([
  ...declareLibrary(root),
  ['THIRD-PARTY.txt', licencesOf(root, packages)],
  ['sbom.cdx.json', await billOfMaterials(root, packages)],
]);
for (const [name, text] of texts) writeFileSync(join(dist, name), text);
const kept = new Set([
  ...['data', 'charts', 'web', '.tsbuildinfo'],
  ...outputFiles.map(({ path }) => basename(path)),
  ...texts.keys(),
]);
for (const name of readdirSync(dist)) if (!kept.has(name)) rmSync(join(dist, name), { recursive: true });
const failed = (await types) || (await web);
if (!failed) writeFileSync(join(dist, '.built'), sources);
process.exit(failed);
