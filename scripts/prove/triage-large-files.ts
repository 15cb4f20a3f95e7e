import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTriage, type TriageRun } from '../../bench/triage/large/run-triage.js';
import type { Proof } from './trials/proof.js';

const MB = 1e6;
const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** MB a second, for the whole command with its start. */
const MAX_SECONDS = 15;
/** YAML up to here is read; the file of the refused one is larger. */
const MAX_YAML_MB = 190;
const TOO_LARGE_YAML = 220;
/**
 * How much more memory the same objects may take when they are a hundred times as long: so many bytes each, and what
 * the reader holds.
 */
const MAX_OBJECT_BYTES = 16_384;
const MAX_BUFFERED_BYTES = 64 * MB;

const podJson = (index: number, padding: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      namespace: `space-${index % 40}`,
      labels: { app: 'web' },
      annotations: { note: 'n'.repeat(padding) },
    },
    spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
const podYaml = (index: number): string =>
  `- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: pod-${index}\n    namespace: space-${index % 40}\n ` +
  '   annotations:\n' +
  `${Array.from({ length: 40 }, (_, line) => `      note-${line}: ${'n'.repeat(60)}\n`).join('')}  spec:\n  ` +
  '  containers:\n    - name: web\n      image: registry.example/web:1\n  status:\n    phase: Running\n';

interface Written {
  readonly path: string;
  readonly objects: number;
  readonly megabytes: number;
}

/** A list of so many megabytes, or of so many objects, as it comes. */
function writeList(
  path: string,
  [begin, between, end]: readonly [string, string, string],
  item: (index: number) => string,
  most: { readonly megabytes?: number; readonly objects?: number },
): Written {
  const file = openSync(path, 'w');
  writeSync(file, begin);
  let [bytes, objects, waiting] = [0, 0, ''];
  while (bytes < (most.megabytes ?? Infinity) * MB && objects < (most.objects ?? Infinity)) {
    const text = `${objects === 0 ? '' : between}${item(objects++)}`;
    bytes += text.length;
    waiting += text;
    if (waiting.length < MB) continue;
    writeSync(file, waiting);
    waiting = '';
  }
  writeSync(file, `${waiting}${end}`);
  closeSync(file);
  return { path, objects, megabytes: statSync(path).size / MB };
}

/** What is refused by its size alone takes no time to write. */
function writeEmpty(path: string, megabytes: number): string {
  writeFileSync(path, '');
  truncateSync(path, megabytes * MB);
  return path;
}

const JSON_LIST = ['{"apiVersion":"v1","kind":"List","items":[\n', ',\n', '\n]}\n'] as const;
const YAML_LIST = ['apiVersion: v1\nkind: List\nitems:\n', '', ''] as const;

/**
 * Dumps as large as clusters give them: JSON of any size is streamed, with memory by the number of objects and not by
 * their length; YAML has a limit that is told. The size is megabytes of JSON.
 */
export const proof: Proof = {
  name: 'triage-large-files',
  sizes: { smoke: 4, full: 600 },
  async run({ size, log }) {
    const scratch = mkdtempSync(join(tmpdir(), 'argosy-large-files-'));
    const wrong: string[] = [];
    const figures: Record<string, number> = {};
    const read = async (name: string, written: Written): Promise<TriageRun> => {
      const run = await runTriage(MAIN, written.path, scratch);
      rmSync(written.path);
      const told = run.stdout.startsWith('{')
        ? (JSON.parse(run.stdout) as { summary?: { objects?: number } }).summary?.objects
        : undefined;
      Object.assign(figures, {
        [`${name} MB`]: Math.round(written.megabytes),
        [`${name} objects`]: written.objects,
        [`${name} seconds`]: Math.round(run.seconds * 10) / 10,
        [`${name} peak MB`]: Math.round(run.megabytes),
      });
      if (told !== written.objects)
        wrong.push(`${name}: ${String(told)} of ${written.objects} objects were read: ${run.stderr}`);
      return run;
    };
    try {
      const long = writeList(join(scratch, 'long.json'), JSON_LIST, (index) => podJson(index, 100_000), {
        megabytes: size,
      });
      const padded = await read('JSON of long objects', long);
      if (size >= 100 && long.megabytes / padded.seconds < MAX_SECONDS)
        wrong.push(`JSON was read at ${(long.megabytes / padded.seconds).toFixed(1)} MB/s`);
      const plain = await read(
        'JSON of as many short objects',
        writeList(join(scratch, 'short.json'), JSON_LIST, (index) => podJson(index, 10), { objects: long.objects }),
      );
      if ((padded.megabytes - plain.megabytes) * MB > long.objects * MAX_OBJECT_BYTES + MAX_BUFFERED_BYTES)
        wrong.push(
          `${Math.round(padded.megabytes)} MB for long objects, ${Math.round(plain.megabytes)} MB for as ` +
            'many short ones',
        );
      const many = writeList(join(scratch, 'many.json'), JSON_LIST, (index) => podJson(index, 5_000), {
        megabytes: size,
      });
      const ran = await read('JSON of many objects', many);
      if (size >= 100 && many.megabytes / ran.seconds < MAX_SECONDS)
        wrong.push(`JSON of many objects was read at ${(many.megabytes / ran.seconds).toFixed(1)} MB/s`);
      await read(
        'YAML',
        writeList(join(scratch, 'list.yaml'), YAML_LIST, podYaml, { megabytes: Math.min(size, MAX_YAML_MB) }),
      );
      const refused = await runTriage(MAIN, writeEmpty(join(scratch, 'large.yaml'), TOO_LARGE_YAML), scratch);
      if (refused.code !== 20 || !refused.stderr.includes('-o json'))
        wrong.push(`${TOO_LARGE_YAML} MB of YAML ended with ${String(refused.code)}: ${refused.stderr}`);
      for (const line of wrong) log(line);
      return { ok: wrong.length === 0, done: size, figures };
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};
