import {
  adviseDrift,
  advisedApplication,
  makePatches,
  onRevision,
  retargeted,
  type DriftAdvice,
  type Inspection,
  type PatchSet,
} from '../../control/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { parseJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { idOf, qualifiedName } from '../../model/argo/index.js';
import { causeFacts, causesOf, type CausesByName } from '../causes/index.js';
import { asSentence } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import {
  applicationId,
  findApplication,
  listApplications,
  withSession,
  type AppFlags,
  type AppSession,
} from '../session/index.js';
import { prettyJson } from '../output/index.js';
import { openCheckouts } from '../repair/index.js';
import { printDrift, type DriftRow } from './print-drift.js';
import { writeDriftFixes } from './write-drift-fixes.js';
import { HORIZONTAL_POD_AUTOSCALERS, type ResourceRef, SCALED_OBJECTS } from '../../model/resources/index.js';

export interface DriftFlags extends Omit<AppFlags, 'controlNamespace'> {
  readonly namespace?: string;
  readonly all?: boolean;
  readonly fix?: string;
  readonly repo?: readonly string[];
  readonly output: 'text' | 'md' | 'json';
}

const AUTOSCALERS: readonly ResourceRef[] = [HORIZONTAL_POD_AUTOSCALERS, SCALED_OBJECTS];

/** Looks at each application twice: as it is, and as the advice would have it. */
export async function runDrift(
  name: string | undefined,
  flags: DriftFlags,
  host: CliHost,
  /** What of a hint this command can carry out. */
  remedy: (hint: string) => string,
): Promise<number> {
  if ((name === undefined) !== (flags.all === true)) throw new Fault('USAGE', 'name an application, or --all');
  const { namespace, ...rest } = flags;
  const ofCluster: AppFlags = namespace === undefined ? rest : { ...rest, controlNamespace: namespace };
  return withSession(ofCluster, host, 'read', async (session) => {
    const siblings = [...(await listApplications(session))].sort((a, b) =>
      compareText(
        `${a.metadata.namespace ?? ''}/${a.metadata.name ?? ''}`,
        `${b.metadata.namespace ?? ''}/${b.metadata.name ?? ''}`,
      ),
    );
    const chosen = name === undefined ? siblings : [await findApplication(session, applicationId(name, session))];
    const rows = await inspectDrift(session, chosen, siblings, remedy);
    const causes = await causesOf(session, chosen);
    host.stdout.write(
      flags.output === 'json'
        ? prettyJson(parseJson(JSON.stringify(rows.map((row) => plain(row, causes)))))
        : printDrift(rows, causes, flags.output),
    );
    if (flags.fix !== undefined)
      for (const file of writeDriftFixes(flags.fix, rows, patches(rows, siblings, flags)))
        host.stderr.write(`wrote ${file}\n`);
    return rows.some(({ before }) => before.sync !== 'Synced' || before.errors.length > 0) ? 1 : 0;
  });
}

async function inspectDrift(
  session: AppSession,
  applications: readonly KubeObject[],
  siblings: readonly KubeObject[],
  remedy: (hint: string) => string,
): Promise<DriftRow[]> {
  const autoscalers = (await Promise.all(AUTOSCALERS.map((kind) => listOrNone(session.cluster, kind)))).flat();
  const inspect = (objects: readonly KubeObject[]): Promise<readonly (Inspection | Fault)[]> =>
    session.host.inspectMany(session.cluster, objects, { namespace: session.controlNamespace });
  const advise = (application: KubeObject, seen: Inspection | Fault | undefined): DriftAdvice =>
    adviseDrift({
      application,
      siblings,
      autoscalers,
      inspection: seen === undefined || seen instanceof Fault ? undefined : seen,
      failure: seen instanceof Fault ? `${seen.message}. ${asSentence(remedy(seen.hint))}` : '',
    });
  const seen = await inspect(applications);
  const first = applications.map((application, index) => advise(application, seen[index]));
  // On another revision other fields differ: what is to be ignored there is seen there.
  const astray = first.filter(({ retarget }) => retarget !== undefined);
  const there = astray.map(retargeted);
  const seenThere = await inspect(there);
  const before = first.map((each) => {
    const place = astray.indexOf(each);
    const target = there[place];
    return target === undefined ? each : onRevision(each, advise(target, seenThere[place]));
  });
  // Only where something is advised there is another look to take.
  const advised = before.filter(({ edits }) => edits.length > 0);
  const again = await inspect(advised.map(advisedApplication));
  return before.map((each) => {
    const index = advised.indexOf(each);
    const last = index < 0 ? seen[before.indexOf(each)] : again[index];
    return {
      before: each,
      after:
        last === undefined || last instanceof Fault
          ? 'Unknown'
          : afterSync(last.status, advise(each.application, last)),
    };
  });
}

/** Where only what a sync puts right is left, a sync is the cure. */
function afterSync(status: string, { advice }: DriftAdvice): string {
  const isCurable = advice.every((each) => ['real drift', 'shared owner', 'wrong branch'].includes(each.class));
  return status === 'OutOfSync' && isCurable ? 'Synced by a sync' : status;
}

async function listOrNone(cluster: Cluster, kind: ResourceRef): Promise<KubeObject[]> {
  try {
    return (await cluster.list(kind)).items;
  } catch (error) {
    // The kind is not installed, or may not be read: then nothing is known of autoscalers.
    if (error instanceof ClusterError) return [];
    throw error;
  }
}

function patches(rows: readonly DriftRow[], siblings: readonly KubeObject[], flags: DriftFlags): PatchSet[] {
  const causes = rows
    .filter(({ before }) => before.edits.length > 0)
    .map(({ before }) => ({
      id: before.application.metadata.name ?? '',
      name: before.application.metadata.name ?? '',
      rule: 'drift',
      title: `${before.application.metadata.name ?? ''}: settle what differs from git`,
      objects: [],
      field: '',
      fix: {
        where: 'git' as const,
        say: '',
        commands: [],
        risk: 'none' as const,
        reversible: true,
        verify: '',
        edits: before.edits,
      },
    }));
  return makePatches(causes, { objects: siblings }, openCheckouts(flags.repo ?? [], []));
}

/** Without the whole application, which nobody asked for. */
function plain({ before, after }: DriftRow, causes: CausesByName): object {
  const { application, ...rest } = before;
  const found = causes.get(qualifiedName(idOf(application))) ?? [];
  return {
    namespace: application.metadata.namespace ?? '',
    name: application.metadata.name ?? '',
    ...rest,
    after,
    causes: found.map(causeFacts),
  };
}
