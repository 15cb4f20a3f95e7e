import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { transformSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../real/free-port.js';
import { installPackage, ROOT, stop, untilPrinted, type Installed } from './packed.js';

const EXAMPLES = ['render', 'health', 'triage', 'apiserver'];
const PAGE = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');

let installed: Installed;

beforeAll(() => {
  installed = installPackage();
});

describe('the packed package', () => {
  it('has no dependency, and a program that can be executed', () => {
    const folder = join(installed.folder, 'node_modules/@argosy-dev/argosy');
    const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect([description['name'], description['dependencies']]).toEqual(['@argosy-dev/argosy', undefined]);
    expect(statSync(join(folder, 'dist/main.js')).mode & 0o111).toBe(0o111);
    expect(basename(installed.tarball)).toMatch(/^argosy-dev-argosy-\d/);
  });

  it('has a bill of materials that lists every package of the bundle', () => {
    const dist = join(installed.folder, 'node_modules/@argosy-dev/argosy/dist');
    const text = readFileSync(join(dist, 'sbom.cdx.json'), 'utf8');
    const bill = JSON.parse(text) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[];
    };
    const sources = readdirSync(dist)
      .filter((name) => name.endsWith('.js.map'))
      .flatMap((name) => (JSON.parse(readFileSync(join(dist, name), 'utf8')) as { sources: string[] }).sources);
    const bundled = sources.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
    expect(bundled).toContain('undici');
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.components.map(({ name }) => name)).toEqual(
      [...new Set([...bundled, 'react', 'react-dom', 'scheduler'])].sort(),
    );
    for (const { name, version, purl } of bill.components) expect(purl).toBe(`pkg:npm/${name}@${version}`);
    expect(text).not.toMatch(/timestamp|serialNumber|hostname/);
  });

  it('renders a chart', () => {
    const chart = join(installed.folder, 'chart/templates');
    mkdirSync(chart, { recursive: true });
    writeFileSync(join(chart, '../Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
    writeFileSync(join(chart, 'a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n');
    const { code, stdout } = installed.run('render', 'chart', '--release', 'shop', '-o', 'name');
    expect([code, stdout]).toEqual([0, 'configmap/shop\n']);
  });

  it('finds causes in a dump', () => {
    copyFileSync(
      join(ROOT, 'src/triage/cases/a-policy-that-lets-nobody-reach-the-database.yaml'),
      join(installed.folder, 'given.yaml'),
    );
    const { code, stdout } = installed.run('triage', '-f', 'given.yaml');
    expect(code).toBeGreaterThan(0);
    expect(stdout).toMatch(/^P[0-3]-1 /m);
  });

  it('runs from the tarball with npx', () => {
    const folder = join(installed.folder, '../npx');
    mkdirSync(folder);
    copyFileSync(installed.tarball, join(folder, basename(installed.tarball)));
    const words = [
      '--yes',
      '--offline',
      '--cache',
      join(folder, 'cache'),
      `./${basename(installed.tarball)}`,
      'version',
    ];
    expect(execFileSync('npx', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })).toContain('argosy: v');
  });

  it('runs `up` until it is ready, with Node and git alone', async () => {
    const [api = 0, port = 0, metrics = 0] = await freePorts(3);
    const up = installed.start(
      ...['up', '--no-demo', '--data', join(installed.folder, 'data')],
      ...['--api-port', String(api), '--port', String(port), '--metrics-port', String(metrics)],
    );
    try {
      const printed = await untilPrinted(up, 'Ctrl-C stops it');
      expect(printed).toContain(`http://localhost:${port}`);
      expect(printed).not.toContain('npx argosy');
      const page = await fetch(`http://127.0.0.1:${port}/`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    } finally {
      expect(await stop(up)).toBe(0);
    }
  });
});

describe('the library', () => {
  beforeAll(() => {
    for (const name of EXAMPLES) copyFileSync(join(ROOT, `examples/${name}.ts`), join(installed.folder, `${name}.ts`));
  });

  it.each(['nodenext', 'bundler'])('the examples compile with moduleResolution %s', (moduleResolution) => {
    const options = {
      extends: join(ROOT, 'examples/tsconfig.json'),
      compilerOptions: {
        moduleResolution,
        module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      include: ['*.ts'],
    };
    writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify(options));
    const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    execFileSync(process.execPath, [compiler, '-p', installed.folder], { encoding: 'utf8' });
  });

  it.each(EXAMPLES)('the example %s prints what docs/library.md shows', (name) => {
    const source = readFileSync(join(installed.folder, `${name}.ts`), 'utf8');
    const file = join(installed.folder, `${name}.js`);
    writeFileSync(file, transformSync(source, { loader: 'ts', format: 'esm' }).code);
    const printed = execFileSync(process.execPath, [file], { cwd: installed.folder, encoding: 'utf8' });
    expect(PAGE).toContain(`\`\`\`ts\n${source}\`\`\`\n\nprints\n\n\`\`\`text\n${printed}\`\`\`\n`);
  });
});
