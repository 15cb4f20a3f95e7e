import { installationObjects, readInstallValues, type Installation } from '../../install/index.js';
import type { Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { type CliHost, openCluster } from '../host/index.js';
import { formatTable, prettyJson } from '../output/index.js';
import type { Examination, Finding } from './doctor-finding.js';
import { checkCertificates } from './doctor-certificates.js';
import { checkClocks, checkDefinitions, checkObjects, checkPods, checkVersion } from './doctor-checks.js';
import { checkRights } from './doctor-rights.js';
import { namespaceOf, type InstallationFlags } from './flags.js';
import { readRecord } from './installed.js';

export interface DoctorFlags extends InstallationFlags {
  readonly output: 'table' | 'json' | 'yaml';
}

type Check = (examination: Examination) => Promise<readonly Finding[]>;

const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['version', checkVersion],
  ['definition', checkDefinitions],
  ['object', checkObjects],
  ['rights', checkRights],
  ['pods', checkPods],
  ['certificate', checkCertificates],
  ['clock', checkClocks],
];

/** Prints what an installation lacks; true if something is wrong. Writes nothing. */
export async function doctor(flags: DoctorFlags, host: CliHost): Promise<boolean> {
  const cluster = await openCluster(flags, host, true);
  try {
    const findings = await examine(cluster, namespaceOf(flags, host), host);
    host.stdout.write(print(findings, flags.output));
    return findings.some(({ state }) => state === 'failed');
  } finally {
    await cluster.close();
  }
}

async function examine(cluster: Cluster, namespace: string, host: CliHost): Promise<readonly Finding[]> {
  const record = await readRecord(cluster, namespace);
  if (record === undefined)
    return [
      {
        check: 'installation',
        state: 'failed',
        detail:
          `there is none in namespace ${namespace}: argosy install -n ${namespace} -o apply, ` +
          'or name its namespace with --namespace',
      },
    ];
  const installation: Installation = { values: readInstallValues(record.values), namespace, version: record.version };
  const examination = { cluster, installation, objects: installationObjects(installation), host };
  const findings = await Promise.all(CHECKS.map(([name, check]) => carefully(name, () => check(examination))));
  return findings.flat();
}

/** A check that cannot be made says so and keeps none of the others. */
async function carefully(name: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ check: name, state: 'unknown', detail: `${error.message} (${error.where})` }];
  }
}

function print(findings: readonly Finding[], format: DoctorFlags['output']): string {
  const repairs = uniqueRepairs(findings);
  if (format === 'json') return `${prettyJson(findings as never)}\n`;
  if (format === 'yaml') return repairs.map((object) => writeYaml(object)).join('---\n');
  const table = formatTable(
    ['CHECK', 'STATE', 'DETAIL'],
    findings.map(({ check, state, detail }) => [check, state, detail]),
  );
  if (repairs.length === 0) return table;
  return (
    `${table}\n# This repairs it: argosy doctor -o yaml | kubectl apply --server-side --force-conflicts -f -\n` +
    repairs.map((object) => writeYaml(object)).join('---\n')
  );
}

function uniqueRepairs(findings: readonly Finding[]): KubeObject[] {
  return [...new Set(findings.flatMap(({ repair }) => repair ?? []))];
}
