// `npx tsx contracts/argocd/compare.ts [GROUP[/KIND] ...]`: where our catalogue differs in status from Argo CD's own
// cases.
import { join } from 'node:path';
import { loadCatalogue } from '../../src/control/index.js';
import { runHealthScript, type Catalogue } from '../../src/health/index.js';
import { gvkOf, type KubeObject } from '../../src/model/kubernetes/index.js';
import type { Health } from '../../src/model/argo/index.js';
import { healthCases } from './health-cases.js';
import { resourceCustomizations } from './module.js';

export function ourCatalogue(): Catalogue {
  return loadCatalogue(join(import.meta.dirname, '../../catalogue'));
}

/**
 * What the entry of the catalogue says, whatever comes before it (deletion, overrides): the cases are about checks
 * alone.
 */
export function assessWithCatalogue(catalogue: Catalogue, object: KubeObject): Health | undefined {
  const { group, kind } = gvkOf(object);
  const health = catalogue.find(group, kind)?.health;
  if (health === undefined) return undefined;
  return health.by === 'rules'
    ? health.assess(object, {})
    : runHealthScript(health.script, object, { openLibs: true, now: () => 0 });
}

function main(wanted: readonly string[]): void {
  const root = resourceCustomizations();
  if (root === undefined) throw new Error('the module of Argo CD is missing: Go is needed');
  const cases = healthCases(root).filter(
    ({ folder }) => wanted.length === 0 || wanted.some((each) => folder === each || folder.startsWith(`${each}/`)),
  );
  const catalogue = ourCatalogue();
  let equal = 0;
  for (const { name, object, status, message } of cases) {
    const ours = assessWithCatalogue(catalogue, object);
    if ((ours?.status ?? '') === status) equal++;
    else
      console.log(
        `${name}\n  theirs ${status}: ${message.split('\n')[0] ?? ''}\n  ours   ` +
          `${ours?.status ?? '(none)'}: ${ours?.message ?? ''}`,
      );
  }
  console.log(`${equal} of ${cases.length} equal in status`);
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
