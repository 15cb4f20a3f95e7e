import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import type { TreeFolder, TreeNode } from '../../model/formats/index.js';
import { TreeReader } from '../common/tree-reader.js';
import { renderChart } from './render-chart.js';
import type { SetValue } from './values/apply-sets.js';

const CASES = join(import.meta.dirname, 'cases');
/** With a path to the real program here, the expectations are written anew. */
const HELM = process.env['HELM_TO_RECORD'];

interface Arguments {
  readonly release?: string;
  readonly values?: readonly string[];
  readonly sets?: readonly SetValue[];
  readonly includeCrds?: boolean;
  readonly skipTests?: boolean;
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
}

function folder(path: string): TreeFolder {
  const names = readdirSync(path, { withFileTypes: true }).sort((a, b) =>
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
  );
  const entries = new Map<string, TreeNode>(
    names.map((entry) => {
      if (entry.isDirectory()) return [entry.name, folder(join(path, entry.name))];
      const bytes = readFileSync(join(path, entry.name));
      return [
        entry.name,
        { kind: 'file', id: createHash('sha1').update(bytes).digest('hex'), executable: false, bytes },
      ];
    }),
  );
  return { kind: 'folder', id: path, entries };
}

function ours(path: string, args: Arguments): string {
  const reader = new TreeReader({ repository: 'https://git.example/shop', commit: 'c1', root: folder(path) });
  try {
    const outcome = renderChart({
      source: { kind: 'folder', reader, path: 'chart' },
      release: { name: args.release ?? 'rel', namespace: 'space' },
      values: (args.values ?? []).map((name) => ({ name, text: reader.text(name) })),
      sets: args.sets ?? [],
      charts: new Map(),
      kubeVersion: args.kubeVersion ?? '1.34.4',
      apiVersions: args.apiVersions ?? [],
      includeCrds: args.includeCrds ?? false,
      skipTests: args.skipTests ?? false,
      context: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    });
    return outcome.kind === 'rendered' ? outcome.text : JSON.stringify(outcome.needs);
  } catch (error) {
    if (error instanceof Fault) return `Error: ${error.message}`.trim();
    throw error;
  }
}

function real(helm: string, path: string, args: Arguments): string {
  const flags = [
    ...(args.values ?? []).flatMap((name) => ['-f', name]),
    ...(args.sets ?? []).flatMap(({ kind, text }) => [`--${kind}`, text]),
    ...(args.includeCrds === true ? ['--include-crds'] : []),
    ...(args.skipTests === true ? ['--skip-tests'] : []),
    ...(args.apiVersions ?? []).flatMap((one) => ['-a', one]),
  ];
  try {
    return execFileSync(
      helm,
      [
        'template',
        args.release ?? 'rel',
        'chart',
        '--namespace',
        'space',
        '--kube-version',
        args.kubeVersion ?? '1.34.4',
        ...flags,
      ],
      { cwd: path, encoding: 'utf8', stdio: 'pipe' },
    );
  } catch (error) {
    const text = (error as { readonly stderr: string }).stderr;
    return text
      .replace(/^(?:level=|[\d/]+ ).*\n/gm, '')
      .replace('\n\nUse --debug flag to render out invalid YAML', '')
      .trim();
  }
}

describe('a chart renders as with helm 4.2.1', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const path = join(CASES, name);
    const args = JSON.parse(readFileSync(join(path, 'args.json'), 'utf8')) as Arguments;
    const golden = join(path, 'helm-v4.2.1.txt');
    if (HELM !== undefined) writeFileSync(golden, real(HELM, path, args));
    expect(existsSync(golden)).toBe(true);
    expect(ours(path, args)).toBe(readFileSync(golden, 'utf8'));
  });
});
