import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { loadKubeconfig } from './kubeconfig.js';

const CASES = join(import.meta.dirname, 'cases/kubeconfig');

interface Given {
  readonly path?: string;
  readonly context?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Reads a file of a case; $DIR stands for its folder. */
function read(name: string, file: string): JsonObject {
  const folder = join(CASES, name);
  return readOneYaml(readFileSync(join(folder, file), 'utf8').replaceAll('$DIR', folder), {
    dialect: 'kubernetes',
    file,
  }) as JsonObject;
}

it.each(readdirSync(CASES))('%s', async (name) => {
  const { path, context, environment = {} } = read(name, 'given.yaml') as Given;
  const loaded = await loadKubeconfig({
    path,
    context,
    environment,
    defaultPath: join(CASES, name, 'default.yaml'),
  }).then(
    (config) => ({ config }),
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      expect(error.code).toBe('KUBECONFIG_INVALID');
      return { fault: { message: error.message, where: error.where } };
    },
  );
  expect(loaded).toEqual(read(name, 'expect.yaml'));
});
