import type { Inspection, InspectedResource } from '../../control/index.js';
import { asGitWants, unifiedDiff, type Difference } from '../../diff/index.js';
import { compareText, Fault, keyText, writeYaml, type Json, type KubeObject } from '../../model/index.js';
import { formatTable } from '../table.js';
import { applicationId, findApplication } from './application-object.js';
import { refresh } from './refresh.js';
import type { AppFlags, AppSession } from './session.js';

export interface DiffFlags extends AppFlags {
  readonly refresh?: boolean;
  readonly hardRefresh?: boolean;
  readonly revision?: string;
  readonly exitCode?: boolean;
  readonly diffExitCode: number;
}

const LONGEST_VALUE = 40;

/** `app diff`: what a sync would change, and who owns what differs. Gives the exit code. */
export async function diff(session: AppSession, name: string, flags: DiffFlags): Promise<number> {
  const { world, cluster } = session;
  const found = await findApplication(session, applicationId(name, session));
  const application = flags.refresh === true ? await refresh(session, found, 'normal', 0) : found;
  const inspection = await world.inspect(cluster, application, { namespace: session.controlNamespace, ...(flags.revision === undefined ? {} : { revision: flags.revision }), ...(flags.hardRefresh === true ? { hard: true } : {}) });
  refuseUnknown(inspection);
  const { text, hasDifferences } = formatDiffs(inspection);
  world.stdout.write(text);
  return hasDifferences && flags.exitCode !== false ? flags.diffExitCode : 0;
}

/** Where the manifests could not be made, there is nothing to compare, and no difference must not be told. */
export function refuseUnknown({ status, conditions }: Inspection): void {
  const problem = conditions.find(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError');
  if (status === 'Unknown' && problem !== undefined) throw new Fault('COMPARISON_FAILED', problem.message, { where: problem.type });
}

export function formatDiffs({ resources }: Inspection): { readonly text: string; readonly hasDifferences: boolean } {
  const differing = resources.filter((resource) => !resource.isHook && resource.status !== 'Synced' && resource.status !== '' && (resource.differences.length > 0 || resource.live === undefined || resource.target === undefined));
  const sorted = [...differing].sort((a, b) => compareText(keyText(a.key), keyText(b.key)));
  return { text: sorted.map(formatOne).join(''), hasDifferences: sorted.length > 0 };
}

function formatOne(resource: InspectedResource): string {
  const { key, live, target } = resource;
  const lines = unifiedDiff(plain(wanted(resource)), plain(live));
  const note = live === undefined ? `only in git${resource.origin === '' ? '' : ` (${resource.origin})`}: a sync creates it\n`
    : target === undefined ? 'only in the cluster: a sync with --prune deletes it\n'
      : formatOwners(resource.differences);
  return `\n===== ${key.group}/${key.kind} ${key.namespace}/${key.name} ======\n${lines.endsWith('\n') || lines === '' ? lines : `${lines}\n`}${note}`;
}

function wanted({ live, target, differences }: InspectedResource): KubeObject | undefined {
  if (live === undefined || target === undefined) return target;
  return asGitWants(live, target, differences);
}

/** Who changed the field in the cluster, and when. */
function formatOwners(differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  return formatTable(['FIELD', 'GIT', 'LIVE', 'OWNER', 'SINCE'], differences.map(({ pointer, kind, target, live, owner, since }) => [
    pointer, kind === 'extra' ? '<removed>' : short(target), kind === 'missing' ? '<absent>' : short(live), owner === '' ? '<nobody>' : owner, since === '' ? '<unknown>' : since,
  ]));
}

function short(value: Json | undefined): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 3)}...` : line;
}

/** Without what only the server writes. */
function plain(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const { managedFields: _m, resourceVersion: _r, uid: _u, generation: _g, creationTimestamp: _c, ...metadata } = object.metadata;
  const { status: _s, ...rest } = object;
  return writeYaml({ ...rest, metadata });
}
