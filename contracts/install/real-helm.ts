import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cachedParts } from '../real/part-table.js';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { readYaml } from '../../src/model/yaml/index.js';

const run = promisify(execFile);
const { paths, missing } = cachedParts(['helm']);

/** The name of the skip where there is no Helm; it is not built here. */
export function whyNoHelm(): string | undefined {
  return missing.length === 0 ? undefined : 'skipped: helm (npm run parts -- helm)';
}

export async function renderWithHelm(chart: string, namespace: string, values: string): Promise<JsonObject[]> {
  const args = ['template', 'argosy', chart, '--namespace', namespace, '--values', values, '--kube-version', '1.34.4'];
  const { stdout } = await run(paths.helm, args, { maxBuffer: 64 << 20 });
  return readYaml(stdout, { dialect: 'kubernetes', file: 'helm template' }).flatMap(({ value }) =>
    isObject(value) ? [value] : [],
  );
}
