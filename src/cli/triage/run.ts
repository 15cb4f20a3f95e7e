import { createAssessor } from '../../health/index.js';
import { collectCluster, collectFiles } from '../../control/index.js';
import { ruleBook, toMarkdown, toSarif, toTerminal, triage, type Report, type Snapshot } from '../../triage/index.js';
import { parseJson, type Json } from '../../model/index.js';
import type { CliWorld } from '../cli-world.js';
import { loadCatalogue } from '../health/load-catalogue.js';
import { openCluster, type ClusterFlags } from '../open-cluster.js';
import { prettyJson } from '../pretty-json.js';

export interface TriageFlags extends ClusterFlags {
  readonly filename?: readonly string[];
  readonly output: 'text' | 'json' | 'md' | 'sarif';
}

/** Prints the causes; the exit code is 2 where one is a P0, 1 where there is another cause or a warning, else 0. */
export async function runTriage(flags: TriageFlags, world: CliWorld): Promise<number> {
  const snapshot = await collect(flags, world);
  const assessor = createAssessor({ catalogue: loadCatalogue(world.catalogue), now: world.now });
  const report = triage(snapshot, { rules: ruleBook, assess: (object) => assessor.assess(object) });
  world.stdout.write(print(report, flags.output, world.version));
  return exitCode(report);
}

async function collect(flags: TriageFlags, world: CliWorld): Promise<Snapshot> {
  if (flags.filename !== undefined && flags.filename.length > 0) return collectFiles(flags.filename, { now: world.now() });
  const cluster = await openCluster(flags, world, true);
  try {
    return await collectCluster(cluster, world.now());
  } finally {
    await cluster.close();
  }
}

function print(report: Report, output: TriageFlags['output'], version: string): string {
  if (output === 'md') return toMarkdown(report);
  if (output === 'text') return toTerminal(report);
  return prettyJson(output === 'json' ? reportJson(report) : toSarif(report, version));
}

/** The report as it is: plain data. */
function reportJson(report: Report): Json {
  return parseJson(JSON.stringify(report));
}

function exitCode({ causes }: Report): number {
  if (causes.some(({ severity }) => severity === 'P0')) return 2;
  return causes.some(({ severity }) => severity !== 'P3') ? 1 : 0;
}
