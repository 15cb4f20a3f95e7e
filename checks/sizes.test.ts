import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const STOP = 500;

it(`no source file passes ${STOP} lines`, () => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const sizes = listed
    .split('\n')
    .filter((file) => file !== '' && !file.endsWith('.test.ts') && !file.endsWith('.gen.ts'))
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
    .sort((a, b) => b.lines - a.lines);
  const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
  console.log(`${sizes.length} files, median ${median} lines; largest:`);
  for (const { file, lines } of sizes.slice(0, 10)) console.log(`${String(lines).padStart(5)} ${file}`);
  expect(sizes.filter(({ lines }) => lines > STOP)).toEqual([]);
});
