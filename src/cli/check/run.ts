import { existsSync } from 'node:fs';
import { Fault } from '../../model/faults/index.js';
import { matchesLabels, parseLabelSelector, type KubeObject } from '../../model/kubernetes/index.js';
import { checkApplication } from '../../plan/index.js';
import { causesOf, type CausesByName } from '../causes/index.js';
import { withSession } from '../session/index.js';
import type { CliHost, ClusterFlags } from '../host/index.js';
import { readClusterFacts } from './read-cluster.js';
import { readFolderFacts } from './read-folder.js';
import { readDocumentation } from './documentation.js';
import type { Facts } from './facts.js';
import { isGood, printChecklist, type CheckedLines } from './print-checklist.js';

export interface CheckFlags extends ClusterFlags {
  readonly all?: boolean;
  readonly branch?: readonly string[];
  readonly production?: string;
  readonly docs?: readonly string[];
  readonly strict?: boolean;
  readonly appNamespace?: string;
  readonly namespace?: string;
  readonly output: 'text' | 'json';
}

/** Prints the checklist; 0 where everything holds, 1 where something does not. */
export async function runCheck(target: string | undefined, flags: CheckFlags, host: CliHost): Promise<number> {
  if ((target === undefined) === (flags.all !== true))
    throw new Fault(
      'USAGE',
      target === undefined
        ? 'name an application or a folder, or say --all'
        : 'name an application or a folder, or say --all: not both',
    );
  const isProduction = productionOf(flags.production);
  const isFiles = target !== undefined && existsSync(target);
  const { facts, notes, causes } = isFiles
    ? { ...readFolderFacts(target, host), causes: undefined }
    : { ...(await fromCluster(target, flags, host)), notes: [] };
  const documentation = readDocumentation(flags.docs, isFiles ? target : undefined);
  const policy = { branches: flags.branch ?? ['main'], ...(documentation === undefined ? {} : { documentation }) };
  const checked = facts.map(
    (each): CheckedLines => ({
      application: each.application,
      lines: checkApplication({ ...each, policy, isProduction: isProduction(each.application) }),
    }),
  );
  host.stdout.write(printChecklist(checked, { notes, causes }, flags.output));
  return isGood(checked, flags.strict === true) ? 0 : 1;
}

interface ClusterFacts {
  readonly facts: Facts[];
  readonly causes: CausesByName;
}

function fromCluster(target: string | undefined, flags: CheckFlags, host: CliHost): Promise<ClusterFacts> {
  const { kubeconfig, context, appNamespace } = flags;
  const session = {
    ...(flags.namespace === undefined ? {} : { controlNamespace: flags.namespace }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(appNamespace === undefined ? {} : { appNamespace }),
  };
  return withSession(session, host, 'read', async (opened) => {
    const facts = await readClusterFacts(opened, target);
    const applications = facts.map(({ application }) => application);
    return { facts, causes: await causesOf(opened, applications) };
  });
}

function productionOf(text: string | undefined): (application: KubeObject) => boolean {
  if (text === undefined) return () => true;
  const selector = parseLabelSelector(text);
  return ({ metadata }) => matchesLabels(selector, metadata.labels);
}
