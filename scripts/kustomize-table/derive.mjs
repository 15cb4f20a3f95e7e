// Derives src/render/kustomize/data/ from the Kustomize modules named in go.mod, by way of main.go.
//   node scripts/kustomize-table/derive.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const run = spawnSync('go', ['run', '.'], {
  cwd: fileURLToPath(new URL('.', import.meta.url)),
  encoding: 'utf8',
  maxBuffer: 64 << 20,
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (run.status !== 0) throw new Error('the Go program failed: Go 1.24 or later is needed to derive the tables');
const { fieldSpecs, ...openApi } = JSON.parse(run.stdout);

const folder = new URL('../../src/render/kustomize/data/', import.meta.url);
mkdirSync(folder, { recursive: true });

/** JSON inside a string is read several times faster than the same as code, and only when someone asks. */
function write(file, name, about, value) {
  const text = JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  writeFileSync(
    new URL(file, folder),
    `// Derived by scripts/kustomize-table; do not edit.\n/** ${about} */\nexport const ${name} = '${text}';\n`,
  );
}

write(
  'open-api.gen.ts',
  'OPEN_API',
  `How lists merge and which kinds are cluster-scoped, of the Kubernetes ${openApi.version} document inside ` +
    'Kustomize 5.8.1, as JSON.',
  openApi,
);
write(
  'field-specs.gen.ts',
  'FIELD_SPECS',
  'The fields that Kustomize 5.8.1 knows without being told, by what is done to them, as JSON.',
  fieldSpecs,
);
