import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { resourceCustomizations } from '../../../contracts/argocd/module.js';
import { runHealthScript } from '../lua/run-health-script.js';
import { lintHealthScript } from './lint-health-script.js';

const checks = resourceCustomizations();
const isHere = checks !== undefined;
const ROOT = checks ?? '';

/**
 * Every finding in Argo CD's own scripts, looked at one by one; a new one is a mistake of the lint until it has been,
 * too.
 */
const KNOWN = readFileSync(join(import.meta.dirname, 'argo-cd-3.5.6.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

it.skipIf(!isHere)(
  isHere
    ? 'finds in the scripts of Argo CD 3.5.6 what was looked at, and nothing else'
    : "Argo CD's own scripts (skipped: the Go module of Argo CD 3.5.6)",
  () => {
    const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('health.lua'))
      .sort();
    const crashing: string[] = [];
    const found = files.flatMap((file) => {
      const [group = '', kind = ''] = file.split('/');
      const source = readFileSync(join(ROOT, file), 'utf8');
      const line = crashLine(source, kind);
      if (line !== undefined) crashing.push(`${dirname(file)}:${line}`);
      const findings = lintHealthScript({
        source,
        name: file,
        group,
        kind,
        options: {
          openLibs: true,
          evaluate: (text, object, { openLibs }) => runHealthScript(text, object, { openLibs, now: () => 0 }),
        },
      });
      return findings.map(({ rule, severity, where, message }) =>
        `${dirname(file)}:${where.line} ${severity} ${rule} ${/`[^`]+`/.exec(message)?.[0] ?? ''}`.trim(),
      );
    });
    console.log(`${files.length} scripts, ${found.length} findings`);
    expect(found).toEqual(KNOWN);
    // What the lint says about a missing status is what happens, line by line.
    expect(
      found.filter((text) => text.endsWith('unguarded-nil `obj.status`')).map((text) => text.split(' ')[0]),
    ).toEqual(crashing);
  },
);

/** The line on which a script fails for an object that has no status yet. */
function crashLine(source: string, kind: string): string | undefined {
  try {
    runHealthScript(
      source,
      { apiVersion: 'v1', kind, metadata: { name: 'new', generation: 1 }, spec: {} },
      { openLibs: true, now: () => 0 },
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? /:(\d+):/.exec(error.message)?.[1] : undefined;
  }
}
