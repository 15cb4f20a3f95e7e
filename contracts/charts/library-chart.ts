import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isArray, isObject } from '../../src/model/json/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { podSpecOf } from '../../src/plan/sync/pod-references.js';
import type { HelmCase } from '../render/helm/cases.js';
import { runOurs } from '../render/helm/ours.js';

export const LIBRARY = join(import.meta.dirname, '../../deploy/charts/argosy-lib');
const CHART = 'apiVersion: v2\nname: consumer\nversion: 0.1.0\ndependencies:\n- {name: argosy-lib, version: 0.1.0}\n';

/** Charts that use the library, each in a folder of its own with the library in `charts/`. */
export class LibraryCharts {
  readonly #root = mkdtempSync(join(tmpdir(), 'argosy-charts-'));
  #count = 0;

  /** A chart of these files; `values.yaml` among them is that of the chart. */
  chart(name: string, files: Readonly<Record<string, string>>, values?: string): HelmCase {
    const place = join(this.#root, String(++this.#count));
    const folder = join(place, 'chart');
    cpSync(LIBRARY, join(folder, 'charts/argosy-lib'), { recursive: true });
    for (const [path, text] of Object.entries({ 'Chart.yaml': CHART, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const valuesFile = join(place, 'values.yaml');
    if (values !== undefined) writeFileSync(valuesFile, values);
    return {
      chart: { name, folder, key: digestOf(folder), without: [] },
      values: 'case',
      files: values === undefined ? [] : [valuesFile],
      options: {},
    };
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file.slice(folder.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** The objects that a chart gives, or a failure of the test that says why it gives none. */
export function objectsOf(wanted: HelmCase): KubeObject[] {
  const run = runOurs(wanted, 0);
  if (run.kind === 'error') throw new Error(run.message);
  return readYaml(run.text, { dialect: 'kubernetes' })
    .map(({ value }) => value)
    .filter(isObject) as KubeObject[];
}

/** What the container of a Job runs in a shell. */
export function scriptOf(job: KubeObject | undefined): string {
  const containers = job === undefined ? undefined : podSpecOf(job)?.containers;
  const [container] = isArray(containers) ? containers.filter(isObject) : [];
  return isArray(container?.args) ? String(container.args[0]) : '';
}
