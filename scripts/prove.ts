// npm run prove -- NAME [--size N] [--seed N]
// Runs a proof of scripts/prove/, at most 25 minutes a call; calling again goes on. A full run on a clean tree is
// recorded as one line of docs/proof/NAME.jsonl.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress, Proof } from './prove/trials/proof.js';
import { readFlags } from '../contracts/harness/read-flags.js';

const MINUTES = 25;
const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(import.meta.dirname, 'prove');

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function fail(message: string): never {
  process.stderr.write(`prove: ${message}\n`);
  process.exit(20);
}

/** A module of scripts/prove/ is a proof where its name has no further dot and it exports `proof`. */
async function loadProof(name: string): Promise<Proof> {
  const names = readdirSync(FOLDER)
    .filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
    .map((file) => file.slice(0, -3));
  const loaded = names.includes(name) ? ((await import(join(FOLDER, `${name}.ts`))) as { proof?: Proof }) : {};
  if (loaded.proof === undefined)
    fail(
      `there is no proof "${name}". Files of scripts/prove/ that export \`proof\` can be named: ${names.join(', ')}.`,
    );
  return loaded.proof;
}

function naturalNumber(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) fail(`--${name} must be a whole number above 0, not "${text}".`);
  return Number(text);
}

/** Progress is kept for one commit, seed and size: another commit begins anew. */
function progressFile(key: string): { load(): Progress | undefined; save(progress: Progress): void; drop(): void } {
  const path = join(tmpdir(), 'argosy-prove', `${key}.json`);
  return {
    load: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Progress) : undefined),
    save: (progress) => {
      mkdirSync(join(tmpdir(), 'argosy-prove'), { recursive: true });
      writeFileSync(`${path}.tmp`, JSON.stringify(progress));
      renameSync(`${path}.tmp`, path);
    },
    drop: () => rmSync(path, { force: true }),
  };
}

function record(name: string, line: object): void {
  const folder = join(ROOT, 'docs/proof');
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${name}.jsonl`), `${JSON.stringify(line)}\n`);
}

async function main(): Promise<void> {
  const { values, positionals } = readFlags({
    options: { size: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  const proof = await loadProof(positionals[0] ?? '');
  const seed = naturalNumber(values.seed, 'seed', 1);
  const size = naturalNumber(values.size, 'size', proof.sizes.full);
  const commit = git('rev-parse', 'HEAD');
  // What proofs record themselves does not change what they prove.
  const isDirty = (): boolean => git('status', '--porcelain', '--', '.', ':!docs/proof') !== '';
  const startedDirty = isDirty();
  const progress = progressFile(`${proof.name}-${commit.slice(0, 12)}-${seed}-${size}`);
  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  // What was tried on a tree with uncommitted changes says nothing about the commit, so it is not carried over.
  const resume = startedDirty ? undefined : progress.load();
  if (resume !== undefined) log(`going on after ${resume.done} of ${size} trials`);
  const end = performance.now() + MINUTES * 60_000;
  const result = await proof.run({
    seed,
    size,
    log,
    resume,
    save: (state) => (startedDirty ? undefined : progress.save(state)),
    mayGoOn: () => performance.now() < end,
  });
  log(JSON.stringify(result.figures));
  if (result.ok && result.done < size) {
    log(
      startedDirty
        ? `stopped after ${MINUTES} minutes with ${result.done} of ${size} trials; on a tree with uncommitted ` +
            'changes a run cannot be continued'
        : `${result.done} of ${size} trials after ${MINUTES} minutes: run again to continue`,
    );
    return;
  }
  progress.drop();
  log(result.ok ? `${proof.name}: holds in ${result.done} trials` : `${proof.name}: FAILED`);
  if (startedDirty || isDirty() || git('rev-parse', 'HEAD') !== commit)
    log('not recorded: the git tree has uncommitted changes or moved meanwhile');
  else record(proof.name, { commit, seed, size, result: { ok: result.ok, ...result.figures } });
  process.exitCode = result.ok ? 0 : 1;
}

await main();
