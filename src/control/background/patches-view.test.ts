import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unifiedDiff } from '../../diff/index.js';
import type { PatchSet } from '../triage/fix/make-patches.js';
import { toPatchesView } from './patches-view.js';

function diffText(before: string, after: string): string {
  const checkout = {
    url: 'https://git.example.com/platform',
    revision: 'main',
    folder: '',
    tree: { repository: '', commit: '', root: { kind: 'folder' as const, id: '', entries: new Map() } },
  };
  const set: PatchSet = {
    cause: { id: 'a', name: 'P0-1', rule: 'C01', title: 'a cause', objects: [], field: '', fix: undefined },
    rendered: 1,
    changed: [],
    others: [],
    unsolved: [],
    repair: { edits: [], adds: [], actions: [] },
    patches: [
      {
        checkout,
        file: 'values.yaml',
        line: 1,
        before,
        after,
        diff: unifiedDiff(after, before, { names: { live: 'a/values.yaml', target: 'b/values.yaml' } }),
      },
    ],
  };
  return toPatchesView(set).patches[0]?.diff ?? '';
}

/** What git makes of the file. */
function applied(before: string, diff: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-patch-'));
  try {
    writeFileSync(join(folder, 'values.yaml'), before);
    execFileSync('git', ['apply', '-'], { cwd: folder, input: diff });
    return readFileSync(join(folder, 'values.yaml'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('a patch shows no secret that stands near the change, and git applies it', () => {
  const before = 'password: hunter2\nimage:\n  name: shop\n  tag: "2"\nreplicas: 1\n';
  const after = before.replace('"2"', '"1"');
  const diff = diffText(before, after);
  expect(diff).not.toContain('hunter2');
  expect(applied(before, diff)).toBe(after);
});

it('a file of Secrets, and a change beside one that cannot be left out, are not shown', () => {
  expect(diffText('kind: Secret\ndata:\n  a: aHVudGVyMg==\n', 'kind: Secret\ndata:\n  b: aHVudGVyMg==\n')).toBe('');
  expect(diffText('apiToken: hunter2\nreplicas: 1\n', 'apiToken: hunter2\nreplicas: 2\n')).toBe('');
});

it('what only names a secret is shown', () => {
  expect(
    diffText(
      'existingSecret: db\nsecretName: db\npassword: ""\nreplicas: 1\n',
      'existingSecret: db\nsecretName: db\npassword: ""\nreplicas: 2\n',
    ),
  ).toContain('+replicas: 2');
});
