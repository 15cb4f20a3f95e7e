import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCatalogue } from '../src/health/catalogue/catalogue.js';

interface ServedGroup {
  readonly name: string;
  readonly versions: readonly { readonly resources: readonly { readonly kind: string }[] }[];
}

const ROOT = join(import.meta.dirname, '..');
// Asked and answered, never stored.
const REVIEWS = ['authentication.k8s.io', 'authorization.k8s.io'];

it('every kind of Kubernetes has health, or docs/catalogue.md says that it has none', () => {
  const folder = join(ROOT, 'catalogue');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path));
  const catalogue = readCatalogue(paths.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })));

  const without = served().filter(
    ([group, kind]) => !REVIEWS.includes(group) && catalogue.find(group, kind)?.health === undefined,
  );
  expect(documented().sort()).toEqual(
    without.map(([group, kind]) => `${group === '' ? 'core' : group} ${kind}`).sort(),
  );
});

function served(): (readonly [group: string, kind: string])[] {
  const groups = JSON.parse(
    readFileSync(join(ROOT, 'src/apiserver/schema/data/discovery.json'), 'utf8'),
  ) as readonly ServedGroup[];
  const kinds = groups.flatMap(({ name, versions }) =>
    versions.flatMap(({ resources }) => resources.map(({ kind }) => `${name} ${kind}`)),
  );
  return [...new Set(kinds)].map((each) => each.split(' ') as [string, string]);
}

/** The rows of the table under "Kinds without health". */
function documented(): string[] {
  const page = readFileSync(join(ROOT, 'docs/catalogue.md'), 'utf8');
  const section = page.split('\n## ').find((text) => text.startsWith('Kinds without health')) ?? '';
  return [...section.matchAll(/^\| ([a-z0-9.]+) \| ([A-Z][\w, ]+) \|$/gm)].flatMap(([, group = '', kinds = '']) =>
    kinds.split(', ').map((kind) => `${group} ${kind}`),
  );
}
