import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintHealthScript } from '../lint/lint-health-script.js';
import { compileLua } from '../lua/compile-lua.js';
import { runHealthScript } from '../lua/run-health-script.js';

const FOLDER = join(import.meta.dirname, '../../../catalogue');
const scripts = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.lua'))
  .sort();
/** Scripts of actions start with a small letter; the others judge the kind they are named after. */
const checks = scripts.filter((path) => /\/[A-Z][^/]*\.lua$/.test(path));

describe("the catalogue's own scripts", () => {
  it.each(scripts)('%s can be compiled', (path) => {
    expect(() => compileLua(readFileSync(join(FOLDER, path), 'utf8'))).not.toThrow();
  });

  it.each(checks)('%s passes our own lint', (path) => {
    const [group = '', file = ''] = path.split('/');
    const source = readFileSync(join(FOLDER, path), 'utf8');
    expect(
      lintHealthScript({ source, name: path, group, kind: file.replace('.lua', ''), options: { openLibs: true } }),
    ).toEqual([]);
  });

  it.each(scripts.filter((path) => path.startsWith('for-argocd/')))(
    '%s passes it with the libraries and objects that Argo CD gives it',
    (path) => {
      const [kind = '', group = ''] = path
        .replace(/^for-argocd\//, '')
        .replace('.lua', '')
        .split('_')
        .reverse();
      const source = readFileSync(join(FOLDER, path), 'utf8');
      expect(
        lintHealthScript({
          source,
          name: path,
          group,
          kind,
          options: {
            evaluate: (text, object, { openLibs }) => runHealthScript(text, object, { openLibs, now: () => 0 }),
          },
        }),
      ).toEqual([]);
    },
  );
});
