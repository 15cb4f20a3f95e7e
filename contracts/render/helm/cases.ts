import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ChartFolder } from './charts.js';

/** A chart and how it is rendered. */
export interface HelmCase {
  readonly chart: ChartFolder;
  /** What the values are called; `default` for none. */
  readonly values: string;
  /** Values files on disk, in order. */
  readonly files: readonly string[];
  readonly options: HelmOptions;
}

/** Flags of `helm template` that a case adds. */
export interface HelmOptions {
  readonly release?: string;
  readonly namespace?: string;
  readonly kubeVersion?: string;
  readonly set?: readonly string[];
  readonly includeCrds?: boolean;
  readonly apiVersions?: readonly string[];
}

const OWN = join(import.meta.dirname, 'values');

export function caseName({ chart, values }: HelmCase): string {
  return `${chart.name} ${values}`;
}

/** The chart as it is, with each values file of its own `ci/`, and with each of ours. */
export function casesOf(chart: ChartFolder): HelmCase[] {
  const ours = join(OWN, chart.name);
  const files = [...valuesIn(join(chart.folder, 'ci')), ...valuesIn(ours)];
  return [
    { chart, values: 'default', files: [], options: {} },
    ...files.map((file) => ({
      chart,
      values: basename(file).replace(/(-values)?\.ya?ml$/, ''),
      files: [file],
      options: file.startsWith(OWN) ? optionsIn(file) : {},
    })),
  ];
}

function valuesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** Flags stand in the first line of our files: `# flags: {"includeCrds": true}`. */
function optionsIn(file: string): HelmOptions {
  const [, json] = /^# flags: (.*)/.exec(readFileSync(file, 'utf8')) ?? [];
  return json === undefined ? {} : (JSON.parse(json) as HelmOptions);
}
