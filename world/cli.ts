import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Fault } from '../src/model/faults/index.js';
import { writeYaml } from '../src/model/yaml/index.js';
import type { KubeObject } from '../src/model/kubernetes/index.js';
import { FAULT_HELP, writeFaultWorlds } from './faults/index.js';
import { readMoment } from './fleet/first-moment.js';
import { DEFAULT_SEED, makeFleet } from './fleet/make-fleet.js';
import { writeRepository } from './fleet/write-repository.js';

const HELP = `usage: npm run world -- --envs 3 --apps 65 [--seed N] [--out DIR] [--repo-url URL] [--unplaced N]
                        [--moment first]

Writes a fleet as a platform team keeps it: DIR/fleet.git, DIR/applications.yaml, and DIR/outside.yaml with what must
be in the cluster before (nodes, namespaces, what lies in Azure). The same numbers give the same bytes.

  --envs N      environments: dev, staging, production, ...
  --apps N      applications in each of them; five of the cluster come on top
  --seed N      another choice of applications (${DEFAULT_SEED})
  --out DIR     a folder; fleet.git must not be in it yet (./fleet)
  --repo-url U  the address that the Applications name (file:// of DIR/fleet.git)
  --unplaced N  so many of eleven applications hide the tolerations of their environment by empty ones (0)
  --moment M    the platform as it was once; first: one store for the whole cluster that asks a Vault which is not
                there, private images, and data services that fit on no node
${FAULT_HELP}`;

const documents = (objects: readonly KubeObject[]): string => objects.map((object) => writeYaml(object)).join('---\n');

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      envs: { ...text, default: '3' },
      apps: { ...text, default: '65' },
      seed: { ...text, default: String(DEFAULT_SEED) },
      out: { ...text, default: 'fleet' },
      'repo-url': text,
      unplaced: { ...text, default: '0' },
      moment: text,
      fault: text,
      cases: text,
      stage: text,
      'own-names': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const begin = performance.now();
  const out = resolve(values.out);
  if (values.fault !== undefined || values.cases !== undefined) {
    await writeFaultWorlds({ ...values, seed: Number(values.seed), out }, (line) => {
      process.stdout.write(`${line}\n`);
    });
    return;
  }
  const folder = join(out, 'fleet.git');
  const repository = { url: values['repo-url'] ?? pathToFileURL(folder).href, revision: 'main' };
  const fleet = makeFleet({
    environments: Number(values.envs),
    applications: Number(values.apps),
    seed: Number(values.seed),
    unplaced: Number(values.unplaced),
    ...(values.moment === undefined ? {} : { moment: readMoment(values.moment) }),
    repository,
  });
  mkdirSync(out, { recursive: true });
  const commit = writeRepository(folder, [{ message: 'The platform and its applications', files: fleet.files }]);
  writeFileSync(join(out, 'applications.yaml'), documents([...fleet.projects, ...fleet.applications]));
  writeFileSync(join(out, 'outside.yaml'), documents(fleet.outside));
  process.stdout.write(
    `${fleet.applications.length} Applications in ${fleet.environments.length} environments, ` +
      `${fleet.files.size} files at ${commit.slice(0, 12)} in ` +
      `${((performance.now() - begin) / 1000).toFixed(1)} s: ${out}\n`,
  );
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Fault) && !(error instanceof TypeError)) throw error;
  process.stderr.write(
    error instanceof Fault ? `world: ${error.message} (${error.where}). ${error.hint}\n` : `world: ${error.message}\n`,
  );
  process.exitCode = 20;
}
