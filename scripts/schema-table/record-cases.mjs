// Rewrites expect.json of every decode case from what the real decoder (oracle/) makes of given.json.
//   node scripts/schema-table/record-cases.mjs
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cases = new URL('../../src/apiserver/schema/cases/', import.meta.url);
const names = readdirSync(cases).sort();
const questions = names.map((name) => {
  const { group, version, kind, body } = JSON.parse(readFileSync(new URL(`${name}/given.json`, cases), 'utf8'));
  return JSON.stringify({ group, version, kind, body: JSON.stringify(body) });
});
const run = spawnSync('go', ['run', './oracle'], {
  cwd: fileURLToPath(new URL('.', import.meta.url)),
  input: `${questions.join('\n')}\n`,
  encoding: 'utf8',
  maxBuffer: 64 << 20,
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (run.status !== 0) throw new Error('the Go program failed: Go 1.24 or later is needed to record cases');
for (const [index, line] of run.stdout.trim().split('\n').entries()) {
  writeFileSync(new URL(`${names[index]}/expect.json`, cases), `${JSON.stringify(JSON.parse(line), null, 2)}\n`);
}
console.log(`${names.length} cases recorded`);
