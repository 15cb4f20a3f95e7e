import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab, type Ran } from '../../../../contracts/cli/app-lab.js';

const scratch = mkdtempSync(join(tmpdir(), 'argosy-app-change-'));
const SOURCE = { repoURL: 'https://git.example.com/a.git', path: 'a' };
const NOBODY = { confirm: () => Promise.resolve(false) };

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
});
afterAll(async () => {
  await lab.close();
  rmSync(scratch, { recursive: true, force: true });
});

const specOf = async (name: string): Promise<unknown> => (await lab.get(name))?.['spec'];
const said = ({ err }: Ran): string => err.split('\n')[1] ?? '';

describe('app patch', () => {
  it('accepts a JSON patch or a merge patch, and prints the Application', async () => {
    await lab.create('patched', { labels: { team: 'shop' } });
    const { code, out } = await lab.run([
      'app',
      'patch',
      'patched',
      '--patch',
      '[{"op": "replace", "path": "/spec/source/path", "value": "new"}, {"op": "remove", "path": ' +
        '"/metadata/labels/team"}]',
    ]);
    expect([code, out.startsWith('apiVersion: argoproj.io/v1alpha1\n'), out.endsWith('\n\n')]).toEqual([0, true, true]);
    await lab.run([
      'app',
      'patch',
      'patched',
      '--type',
      'merge',
      '--patch',
      '{"spec": {"source": {"targetRevision": "v2"}}, "metadata": {"annotations": {"note": "x"}}}',
    ]);
    expect(await lab.get('patched')).toMatchObject({
      spec: { source: { path: 'new', targetRevision: 'v2' } },
      metadata: { annotations: { note: 'x' } },
    });
    expect((await lab.get('patched'))?.metadata.labels ?? {}).toEqual({});
  });

  it('does not change status, operation and identity, and says so', async () => {
    await lab.create('kept');
    const { code, err } = await lab.run([
      'app',
      'patch',
      'kept',
      '--type=merge',
      '--patch',
      '{"status": {"health": {"status": "Healthy"}}, "operation": {"sync": {}}, "metadata": {"name": ' +
        '"other"}, "spec": {"project": "team"}}',
    ]);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        'left as it was: status, operation, metadata.name; a patch changes spec, labels, annotations and finalizers',
      ),
    ]);
    const after = await lab.get('kept');
    expect([after?.['status'], after?.['operation'], await lab.get('other'), after?.['spec']]).toEqual([
      undefined,
      undefined,
      undefined,
      expect.objectContaining({ project: 'team' }),
    ]);
  });

  it('rejects an invalid patch or result, and writes nothing', async () => {
    await lab.create('whole');
    const version = (await lab.get('whole'))?.metadata.resourceVersion;
    for (const [text, words] of [
      ['{', 'JSON'],
      ['{}', 'list'],
      ['[{"op": "test", "path": "/spec/project", "value": "other"}]', 'test'],
      ['[{"op": "remove", "path": "/spec/destination/server"}]', 'no destination'],
      ['[{"op": "remove", "path": "/spec/source"}]', 'no source'],
      ['[{"op": "add", "path": "/__proto__/polluted", "value": 1}]', '/__proto__/polluted'],
    ] as const)
      expect([text, said(await lab.run(['app', 'patch', 'whole', '--patch', text]))]).toEqual([
        text,
        expect.stringContaining(words),
      ]);
    expect((await lab.run(['app', 'patch', 'whole'])).err).toContain("required option '--patch <text>' not specified");
    expect((await lab.run(['app', 'patch', 'whole', '--patch', 'null', '--type', 'merge'])).code).toBe(20);
    expect((await lab.get('whole'))?.metadata.resourceVersion).toBe(version);
    expect(said(await lab.run(['app', 'patch', 'absent', '--patch', '[]']))).toContain(
      'application "absent" not found',
    );
  });
});

describe('app unset', () => {
  it('removes exactly the named fields', async () => {
    await lab.create('helm', {
      spec: {
        source: {
          ...SOURCE,
          helm: {
            parameters: [
              { name: 'a', value: '1' },
              { name: 'b', value: '2' },
            ],
            valueFiles: ['one.yaml', 'two.yaml'],
            values: 'x: 1',
            valuesObject: { y: 2 },
            ignoreMissingValueFiles: true,
            passCredentials: true,
            releaseName: 'r',
          },
        },
      },
    });
    expect(
      (
        await lab.run([
          'app',
          'unset',
          'helm',
          '-p',
          'a',
          '--values',
          'two.yaml',
          '--values-literal',
          '--ignore-missing-value-files',
          '--pass-credentials',
        ])
      ).code,
    ).toBe(0);
    expect(await specOf('helm')).toMatchObject({
      source: { helm: { parameters: [{ name: 'b', value: '2' }], valueFiles: ['one.yaml'], releaseName: 'r' } },
    });
    expect(Object.keys(((await specOf('helm')) as { source: { helm: object } }).source.helm).sort()).toEqual([
      'parameters',
      'releaseName',
      'valueFiles',
    ]);
    await lab.create('kustomize', {
      spec: {
        source: {
          ...SOURCE,
          kustomize: {
            namePrefix: 'p-',
            nameSuffix: '-s',
            version: 'v5',
            namespace: 'n',
            images: ['web:1', 'db=postgres:2'],
            replicas: [{ name: 'web', count: 2 }],
            ignoreMissingComponents: true,
          },
        },
      },
    });
    await lab.run([
      'app',
      'unset',
      'kustomize',
      '--nameprefix',
      '--namesuffix',
      '--kustomize-version',
      '--kustomize-namespace',
      '--kustomize-image',
      'web',
      '--kustomize-image=db=',
      '--kustomize-replica',
      'web',
      '--ignore-missing-components',
    ]);
    expect(((await specOf('kustomize')) as { source: object }).source).not.toHaveProperty('kustomize');
    await lab.create('plugin', {
      spec: {
        source: {
          ...SOURCE,
          plugin: {
            name: 'cdk8s',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        },
      },
    });
    await lab.run(['app', 'unset', 'plugin', '--plugin-env', 'A']);
    expect(await specOf('plugin')).toMatchObject({
      source: { plugin: { name: 'cdk8s', env: [{ name: 'B', value: '2' }] } },
    });
  });

  it('requires a field, and a source if there are several', async () => {
    await lab.create('many', {
      spec: { source: undefined, sources: [SOURCE, { repoURL: SOURCE.repoURL, path: 'b', ref: 'values', name: 'b' }] },
    });
    expect(said(await lab.run(['app', 'unset', 'many']))).toContain('name at least one option to unset');
    expect(said(await lab.run(['app', 'unset', 'many', '--ref']))).toContain('Source position should be specified');
    expect(
      said(await lab.run(['app', 'unset', 'many', '--ref', '--source-position', '1', '--source-name', 'b'])),
    ).toContain('Only one of');
    expect((await lab.run(['app', 'unset', 'many', '--ref', '--source-position', '1'])).err).toContain(
      'nothing to unset in argocd/many',
    );
    expect(
      (await lab.run(['app', 'unset', 'many', '--ref', '--source-name', 'b', '--prompts-enabled'], NOBODY)).code,
    ).toBe(1);
    await lab.run(['app', 'unset', 'many', '--ref', '--source-name', 'b']);
    expect(((await specOf('many')) as { sources: object[] }).sources).toEqual([
      SOURCE,
      { repoURL: SOURCE.repoURL, path: 'b', name: 'b' },
    ]);
  });
});

describe('app add-source and remove-source', () => {
  it('adds at the end, removes by position or name, and never the last one', async () => {
    await lab.create('sources', { spec: { source: undefined, sources: [SOURCE] } });
    await lab.create('single');
    expect(
      (
        await lab.run([
          'app',
          'add-source',
          'sources',
          '--repo',
          'https://charts.example.com',
          '--helm-chart',
          'web',
          '--revision',
          '1.2.3',
          '--helm-set',
          'a=1',
          '--source-name',
          'chart',
        ])
      ).out,
    ).toBe("Application 'sources' updated successfully\n");
    const chart = {
      repoURL: 'https://charts.example.com',
      chart: 'web',
      targetRevision: '1.2.3',
      helm: { parameters: [{ name: 'a', value: '1' }] },
      name: 'chart',
    };
    expect(await specOf('sources')).toMatchObject({ sources: [SOURCE, chart] });
    expect(said(await lab.run(['app', 'add-source', 'single', '--repo', 'https://x', '--path', 'p']))).toContain(
      'Cannot add source: application single does not have spec.sources defined',
    );
    expect(said(await lab.run(['app', 'add-source', 'sources']))).toContain('no source to add');
    expect(said(await lab.run(['app', 'add-source', 'sources', '--repo', 'https://x']))).toContain('spec.source.path');
    expect(said(await lab.run(['app', 'remove-source', 'sources']))).toContain(
      'source-position must be greater than 0',
    );
    expect(said(await lab.run(['app', 'remove-source', 'sources', '--source-position', '7']))).toContain(
      'does not have source at 7',
    );
    expect(said(await lab.run(['app', 'remove-source', 'sources', '--source-name', 'x']))).toContain(
      "Unknown source name 'x'",
    );
    expect(said(await lab.run(['app', 'remove-source', 'single', '--source-position', '1']))).toContain(
      'does not have multiple sources',
    );
    expect(
      (await lab.run(['app', 'remove-source', 'sources', '--source-position', '1', '--prompts-enabled'], NOBODY)).out,
    ).toBe('The command to delete the source was cancelled\n');
    expect((await lab.run(['app', 'remove-source', 'sources', '--source-position', '1'])).out).toBe(
      "Application 'sources' updated successfully\n",
    );
    expect(((await specOf('sources')) as { sources: object[] }).sources).toEqual([chart]);
    expect(said(await lab.run(['app', 'remove-source', 'sources', '--source-name', 'chart']))).toContain(
      'Cannot remove the only source remaining in the app',
    );
  });
});

describe('app edit', () => {
  /** A program that edits as its script says, and notes what it saw. */
  const editor = (name: string, script: string): { EDITOR: string } => {
    const file = join(scratch, `${name}.mjs`);
    writeFileSync(
      file,
      `import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';\nconst file = ` +
        `process.argv.at(-1);\nconst text = readFileSync(file, 'utf8');\n` +
        `writeFileSync(${JSON.stringify(join(scratch, name))}, JSON.stringify({ text, file, mode: ` +
        `statSync(file).mode & 0o777, words: process.argv.slice(2, -1) }));\n${script}`,
    );
    chmodSync(file, 0o755);
    return { EDITOR: `${process.execPath} ${file} 'two words'` };
  };
  const seen = (name: string): { text: string; file: string; mode: number; words: string[] } =>
    JSON.parse(readFileSync(join(scratch, name), 'utf8')) as ReturnType<typeof seen>;

  it('opens the spec in the editor without a shell, and saves the result', async () => {
    await lab.create('edited');
    const environment = editor(
      'change',
      "writeFileSync(file, text.replace('targetRevision: main', 'targetRevision: v2'));",
    );
    expect(await lab.run(['app', 'edit', 'edited'], { environment })).toMatchObject({
      code: 0,
      out: "application 'edited' edited\n",
    });
    expect(await specOf('edited')).toMatchObject({ source: { targetRevision: 'v2', path: 'web' } });
    const { text, file, mode, words } = seen('change');
    expect([text.includes('repoURL'), mode, words, existsSync(file)]).toEqual([true, 0o600, ['two words'], false]);
  });

  it('saves nothing if nothing changed, the editor failed or the spec is invalid', async () => {
    await lab.create('same');
    const version = (await lab.get('same'))?.metadata.resourceVersion;
    expect(said(await lab.run(['app', 'edit', 'same'], { environment: editor('leave', '') }))).toContain(
      'edit cancelled, no valid changes were saved',
    );
    expect(
      said(await lab.run(['app', 'edit', 'same'], { environment: editor('empty', "writeFileSync(file, '');") })),
    ).toContain('edit cancelled');
    expect(
      said(
        await lab.run(['app', 'edit', 'same'], {
          environment: editor('fails', "writeFileSync(file, text + 'x: 1'); process.exit(3);"),
        }),
      ),
    ).toContain('the editor ended with 3');
    expect(said(await lab.run(['app', 'edit', 'same'], { environment: { EDITOR: '/nonexistent/editor' } }))).toContain(
      'cannot start /nonexistent/editor (ENOENT)',
    );
    expect(said(await lab.run(['app', 'edit', 'same'], { environment: { EDITOR: "vi 'x" } }))).toContain(
      'a quote or backslash is not closed (EDITOR)',
    );
    expect(said(await lab.run(['app', 'edit', 'same'], { environment: {} }))).toContain('EDITOR is not set');
    const wrong = said(
      await lab.run(['app', 'edit', 'same'], {
        environment: editor('wrong', "writeFileSync(file, text.replace(/server:.*/, ''));"),
      }),
    );
    expect(wrong).toContain('the application has no destination');
    const kept = /kept in (\S+-edit\.yaml)/.exec(wrong)?.[1] ?? '';
    expect(existsSync(kept)).toBe(true);
    rmSync(join(kept, '..'), { recursive: true });
    expect((await lab.get('same'))?.metadata.resourceVersion).toBe(version);
  });

  it('reopens the editor with the error until the spec is valid', async () => {
    await lab.create('twice');
    const person = { write: () => undefined, isTTY: true };
    const environment = editor(
      'person',
      "writeFileSync(file, text.startsWith('# ! ') ? text.replace('server: \"\"', 'server: " +
        "https://kubernetes.default.svc') : text.replace(/server: .*/, 'server: \"\"').replace('main', 'v3'));",
    );
    expect((await lab.run(['app', 'edit', 'twice'], { environment, stdout: person })).code).toBe(0);
    expect(seen('person').text).toMatch(/^# ! the application has no destination/);
    expect(await specOf('twice')).toMatchObject({
      source: { targetRevision: 'v3' },
      destination: { server: 'https://kubernetes.default.svc' },
    });
  });

  it('does not overwrite concurrent changes of the spec; a new status does not count', async () => {
    await lab.create('raced');
    /** Edits only after somebody else has written. */
    const editAfter = async (from: string, to: string, change: Readonly<Record<string, unknown>>): Promise<Ran> => {
      const [begun, written] = [join(scratch, `${to}-begun`), join(scratch, `${to}-written`)];
      const environment = editor(
        'slow',
        `const wait = () => (existsSync(${JSON.stringify(written)}) ? writeFileSync(file, ` +
          `text.replace(${JSON.stringify(from)}, ${JSON.stringify(to)})) : setTimeout(wait, 5));\n` +
          `writeFileSync(${JSON.stringify(begun)}, '');\nwait();`,
      );
      const edited = lab.run(['app', 'edit', 'raced'], { environment });
      while (!existsSync(begun))
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
      await lab.write('raced', change);
      writeFileSync(written, '');
      return edited;
    };
    expect((await editAfter('main', 'v4', { status: { health: { status: 'Healthy' } } })).code).toBe(0);
    expect(await specOf('raced')).toMatchObject({ source: { targetRevision: 'v4' } });
    const late = await editAfter('v4', 'v5', { spec: { ...((await specOf('raced')) as object), project: 'team' } });
    expect([late.code, said(late)]).toEqual([
      20,
      expect.stringContaining('the spec was changed by someone else meanwhile; your text is kept in'),
    ]);
    expect(await specOf('raced')).toMatchObject({ project: 'team', source: { targetRevision: 'v4' } });
    rmSync(join(/kept in (\S+-edit\.yaml)/.exec(said(late))?.[1] ?? scratch, '..'), { recursive: true, force: true });
  });
});

it('app confirm-deletion records the time of the confirmation', async () => {
  await lab.create('confirmed');
  expect((await lab.run(['app', 'confirm-deletion', 'confirmed'])).out).toBe(
    "Application 'confirmed' updated successfully\n",
  );
  expect((await lab.get('confirmed'))?.metadata.annotations).toEqual({
    'argocd.argoproj.io/deletion-approved': '2026-10-06T12:00:00Z',
  });
});
