import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { DirectorySettings } from '../../model/argo/index.js';
import { realTimer, treeOf, type Shape } from '../testing/tree.js';
import { Tools } from '../tools.js';
import { checkImports } from './check-imports.js';
import { evaluateJsonnet } from './evaluate-jsonnet.js';

const PROGRAM = '/usr/bin/jsonnet';
const root = mkdtempSync(join(tmpdir(), 'argosy-jsonnet-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const NONE: DirectorySettings['jsonnet'] = { extVars: [], tlas: [], libs: [] };

describe('the program jsonnet', () => {
  if (!existsSync(PROGRAM)) {
    it.skip('skipped: jsonnet (the Debian package jsonnet)', () => {
      /* the name says why */
    });
    return;
  }
  const evaluate = async (
    files: Record<string, Shape>,
    settings: Partial<DirectorySettings['jsonnet']> = {},
  ): Promise<unknown> => {
    const tools = await Tools.open({ named: [`jsonnet=${PROGRAM}`], directory: join(root, 'runs'), after: realTimer });
    return JSON.parse(
      Buffer.from(
        await evaluateJsonnet(tools, {
          tree: treeOf(files),
          project: '',
          path: 'app/a.jsonnet',
          settings: { ...NONE, ...settings },
        }),
      ).toString('utf8'),
    );
  };

  it('takes variables, arguments and libraries', async () => {
    const text =
      "local l = import 'colors.libsonnet'; function(who) {who: who, n: std.extVar('n') + 1, s: " +
      "std.extVar('s'), color: l.blue, near: import '../near.json'}";
    expect(
      await evaluate(
        { 'app/a.jsonnet': text, 'lib/colors.libsonnet': "{blue: '#00f'}", 'near.json': '[1]' },
        {
          extVars: [
            { name: 'n', value: '41', code: true },
            { name: 's', value: '41', code: false },
          ],
          tlas: [{ name: 'who', value: 'a=b "c"', code: false }],
          libs: ['/lib'],
        },
      ),
    ).toEqual({ who: 'a=b "c"', n: 42, s: '41', color: '#00f', near: [1] });
  });

  it('says what is wrong in its own words', async () => {
    await expect(evaluate({ 'app/a.jsonnet': '{a: error "no color"}' })).rejects.toThrow(
      /jsonnet failed: RUNTIME ERROR: no color\n\tapp\/a\.jsonnet:1/,
    );
  });

  it('reads nothing of the machine', async () => {
    const canary = join(root, 'canary.txt');
    writeFileSync(canary, 'CANARY');
    const tries = [
      `importstr '${canary}'`,
      `importstr '${'../'.repeat(20)}${canary.slice(1)}'`,
      `import 'b.libsonnet'`,
      `importstr '\\u002f${canary.slice(1)}'`,
      `importstr @'${canary}'`,
      `importstr |||\n  ${canary}\n|||`,
      `import /* x */ '${canary}'`,
    ];
    for (const text of tries) {
      const error = await evaluate({ 'app/a.jsonnet': text, 'app/b.libsonnet': `importstr '${canary}'` }).then(
        () => 'nothing',
        String,
      );
      expect(error, text).toMatch(/leads out of the repository|not written as a plain path/);
      expect(error).not.toContain('CANARY');
    }
    await expect(
      evaluate(
        { 'app/a.jsonnet': "std.extVar('x')" },
        { extVars: [{ name: 'x', value: `importstr '${canary}'`, code: true }] },
      ),
    ).rejects.toThrow('leads out of the repository');
    await expect(evaluate({ 'app/a.jsonnet': '1' }, { libs: ['../..'] })).rejects.toThrow('outside of the repository');
  });
});

describe('imports', () => {
  it.each([
    ["local a = 'import \"/etc/passwd\"'; // import '/x'\na"],
    ["{ important: 1, /* import '/x' */ b: import 'b.libsonnet' }"],
    ['|||\n  import "/etc/passwd"\n|||'],
    ["# import '/x'\nimport '../b.libsonnet'"],
  ])('inside: %s', (text) => {
    expect(() =>
      checkImports(
        treeOf({ 'app/a.jsonnet': text, 'app/b.libsonnet': '1', 'b.libsonnet': '2' }),
        'app/a.jsonnet',
        [],
        [],
      ),
    ).not.toThrow();
  });

  it('are followed through links as the system follows them', () => {
    const files = {
      'app/a.jsonnet': "import 'deep/x/f.libsonnet'",
      'app/deep': { link: '../r' },
      'r/x/f.libsonnet': "import '../../../secret'",
    };
    expect(() => checkImports(treeOf(files), 'app/a.jsonnet', [], [])).toThrow('leads out of the repository');
  });

  it('in circles end', () => {
    expect(() =>
      checkImports(
        treeOf({ 'a.jsonnet': "import 'b.libsonnet'", 'b.libsonnet': "import 'a.jsonnet'" }),
        'a.jsonnet',
        [],
        [],
      ),
    ).not.toThrow();
  });
});
