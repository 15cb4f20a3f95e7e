import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { casesOf } from '../../contracts/render/helm/cases.js';
import { listCharts } from '../../contracts/render/helm/charts.js';
import { helmArgs, RealHelm } from '../../contracts/render/helm/real-helm.js';
import { fetchModules, type ModuleName } from '../../contracts/render/modules.js';
import { builtTool } from '../../contracts/real/tools.js';
import { runTool } from './real.js';
import type { Subject } from './subject.js';

/** Folders that hold overlays which need nothing outside of them. */
const OVERLAYS: readonly (readonly [ModuleName, string])[] = [
  ['cluster-api', 'core/config'],
  ['cluster-api', 'controlplane/kubeadm/config'],
  ['cluster-api', 'bootstrap/kubeadm/config'],
  ['argo-cd', 'manifests'],
  ['argo-rollouts', 'manifests'],
  ['training-operator', 'manifests'],
];

/** Charts and overlays that the real tools accept, so many of each, or why this machine cannot have them. */
export async function findSubjects(count: number): Promise<readonly Subject[] | string> {
  const [helm, kustomize] = [await builtTool('helm'), await builtTool('kustomize')];
  if (helm.kind === 'missing') return `skipped: helm (${helm.reason})`;
  if (kustomize.kind === 'missing') return `skipped: kustomize (${kustomize.reason})`;
  const charts = await findCharts(helm.path, count);
  if (typeof charts === 'string') return charts;
  const overlays = await findOverlays(kustomize.path, count);
  return typeof overlays === 'string' ? overlays : [...charts, ...overlays];
}

async function findCharts(program: string, count: number): Promise<Subject[] | string> {
  const [real, listed] = [await RealHelm.open(), await listCharts()];
  if (typeof real === 'string') return real;
  if (listed.kind === 'missing') return `skipped: charts (${listed.reason})`;
  const subjects: Subject[] = [];
  // The charts of Argo CD's own tests are too small to say anything about time.
  for (const chart of listed.charts.filter(({ name }) => !name.startsWith('argo-cd/'))) {
    const [wanted] = casesOf(chart);
    if (subjects.length >= count || wanted === undefined || (await real.run(wanted)).code !== 0) continue;
    subjects.push({ kind: 'chart', name: chart.name, root: chart.folder, path: '', program, args: helmArgs(wanted) });
  }
  return subjects;
}

async function findOverlays(program: string, count: number): Promise<Subject[] | string> {
  const fetched = await fetchModules([...new Set(OVERLAYS.map(([module]) => module))]);
  if (fetched.kind === 'missing') return `skipped: overlays (${fetched.reason})`;
  const subjects: Subject[] = [];
  for (const [module, folder] of OVERLAYS) {
    const root = join(fetched.folder(module), folder);
    for (const found of kustomizations(root)) {
      const args = ['build', found];
      if (subjects.length >= count || (await runTool(program, args)) !== 0) continue;
      subjects.push({
        kind: 'overlay',
        name: join(module, folder, relative(root, found)),
        root,
        path: relative(root, found),
        program,
        args,
      });
    }
  }
  return subjects;
}

function kustomizations(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => kustomizations(join(folder, name)));
  return ['kustomization.yaml', 'kustomization.yml'].some((name) => existsSync(join(folder, name)))
    ? [folder, ...below]
    : below;
}
