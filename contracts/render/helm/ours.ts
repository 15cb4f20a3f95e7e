import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fault } from '../../../src/model/faults/index.js';
import type { Tree } from '../../../src/model/formats/index.js';
import { renderChart } from '../../../src/render/helm/render-chart.js';
import { TreeReader } from '../../../src/render/common/tree-reader.js';
import { folderTree } from '../folder-tree.js';
import type { HelmCase } from './cases.js';
import type { OurRun } from './difference.js';
import { KUBE_VERSION, NAMESPACE, RELEASE } from './real-helm.js';

const trees = new Map<string, Tree>();

/** Charts are read once for all their values. */
export function chartTree(folder: string): Tree {
  const known = trees.get(folder) ?? folderTree(folder);
  trees.set(folder, known);
  return known;
}

/** Our rendering, at the time of the clock that the real one had. */
export function runOurs({ chart, files, options }: HelmCase, now: number): OurRun {
  try {
    const outcome = renderChart({
      source: { kind: 'folder', reader: new TreeReader(chartTree(chart.folder)), path: '' },
      values: files.map((file) => ({ name: file, text: readFileSync(file, 'utf8') })),
      sets: (options.set ?? []).map((text) => ({ kind: 'set', text })),
      charts: new Map(),
      release: { name: options.release ?? RELEASE, namespace: options.namespace ?? NAMESPACE },
      kubeVersion: options.kubeVersion ?? KUBE_VERSION,
      apiVersions: options.apiVersions ?? [],
      includeCrds: options.includeCrds ?? false,
      context: { now: () => BigInt(now) * 1_000_000n, random: (count) => randomBytes(count), zone: 'UTC' },
    });
    return outcome.kind === 'rendered'
      ? { kind: 'text', text: outcome.text }
      : { kind: 'error', message: `needs ${JSON.stringify(outcome.needs)}` };
  } catch (error) {
    if (error instanceof Fault) return { kind: 'error', message: error.message };
    return { kind: 'error', message: `CRASH ${error instanceof Error ? String(error.stack) : String(error)}` };
  }
}
