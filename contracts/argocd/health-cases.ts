import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';

/** One case of Argo CD's own suite: an object, and the verdict its bundled script must give. */
export interface HealthCase {
  /** `GROUP/KIND/testdata/x.yaml`. */
  readonly name: string;
  readonly folder: string;
  readonly object: KubeObject;
  readonly status: string;
  readonly message: string;
}

const read = (file: string): unknown => readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });

export function healthCases(root: string): HealthCase[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/health_test.yaml'))
    .sort()
    .flatMap((path) => {
      const folder = dirname(path);
      const suite = read(join(root, path));
      const tests = isObject(suite) && isArray(suite.tests) ? suite.tests : [];
      return tests.map((test) => caseOf(root, folder, test as JsonObject));
    });
}

function caseOf(root: string, folder: string, test: JsonObject): HealthCase {
  const input = String(test.inputPath ?? test.inputpath);
  const expected = isObject(test.healthStatus) ? test.healthStatus : {};
  return {
    name: `${folder}/${input}`,
    folder,
    object: read(join(root, folder, input)) as KubeObject,
    status: String(expected.status ?? ''),
    message: String(expected.message ?? ''),
  };
}
