// `npx tsx contracts/argocd/compare.ts [GROUP[/KIND] ...]`: where our catalogue differs in status from Argo CD's own cases.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue, type Catalogue } from '../../src/health/catalogue/catalogue.js';
import { gvkOf, type Health } from '../../src/model/index.js';
import { healthCases, type HealthCase } from './health-cases.js';
import { resourceCustomizations } from './module.js';

export function ourCatalogue(): Catalogue {
  const folder = join(import.meta.dirname, '../../catalogue');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path));
  return readCatalogue(paths.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })));
}

export async function ourVerdict(catalogue: Catalogue, { object }: HealthCase): Promise<Health | undefined> {
  const { group, kind } = gvkOf(object);
  const health = catalogue.find(group, kind)?.health;
  if (health === undefined) return undefined;
  if (health.by === 'rules') return health.assess(object, {});
  const { runHealthScript } = await import('../../src/health/lua/run-health-script.js');
  return runHealthScript(health.script, object, { openLibs: true, now: () => 0 });
}

async function main(wanted: readonly string[]): Promise<void> {
  const root = resourceCustomizations();
  if (root === undefined) throw new Error('the module of Argo CD is missing: Go is needed');
  const cases = healthCases(root).filter(({ folder }) => wanted.length === 0 || wanted.some((each) => folder === each || folder.startsWith(`${each}/`)));
  const catalogue = ourCatalogue();
  let equal = 0;
  for (const each of cases) {
    const ours = await ourVerdict(catalogue, each);
    if ((ours?.status ?? '') === each.status) equal++;
    else console.log(`${each.name}\n  theirs ${each.status}: ${each.message.split('\n')[0] ?? ''}\n  ours   ${ours?.status ?? '(none)'}: ${ours?.message ?? ''}`);
  }
  console.log(`${equal} of ${cases.length} equal in status`);
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
