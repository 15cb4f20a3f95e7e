// Derives src/api/rpc/data/argo-cd-api.json, the table of Argo CD's services and messages, from the facts that main.go
// prints: for each method its messages and routes, for each message how its fields travel. Beside it, for the test of
// our reader and writer, a message of every type that a method has, as Go writes it.
//   npm run grpc-table
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('.', import.meta.url);
const { services, types } = JSON.parse(goRun());
const version = /argo-cd\/v3 (v\S+)/.exec(readFileSync(new URL('go.mod', here), 'utf8'))[1];

function goRun(...words) {
  const run = spawnSync('go', ['run', '.', ...words], {
    cwd: fileURLToPath(here),
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error('the Go program failed: Go 1.26 or later is needed to regenerate the table');
  return run.stdout;
}

const sorted = (object) => Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
const lines = (object, text) => {
  const rows = sorted(object).map(([name, value]) => `${JSON.stringify(name)}:${text(value)}`);
  return `{\n${rows.join(',\n')}\n}`;
};
const field = ({ number, name, shape, flags }) => [number, name, shape, ...(flags === undefined ? [] : [flags])];

const table = {
  version: JSON.stringify(version),
  services: lines(services, (methods) => lines(methods, JSON.stringify)),
  types: lines(types, (fields) => JSON.stringify(fields.map(field))),
};
writeFileSync(new URL('../../src/api/rpc/data/argo-cd-api.json', here), `${lines(table, (text) => text)}\n`);
writeFileSync(new URL('../../src/api/rpc/messages.jsonl', here), goRun('record'));
const count = Object.values(services).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
console.log(`${Object.keys(services).length} services, ${count} methods, ${Object.keys(types).length} messages`);
