import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differingResources, predictSync, type Inspection, type InspectedResource } from '../../control/index.js';
import { unifiedDiff, type Difference } from '../../diff/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { Json } from '../../model/json/index.js';
import { runProgram } from '../host/index.js';
import { formatTable } from '../output/index.js';
import { applicationId, findApplication, refresh, type AppFlags, type AppSession } from '../session/index.js';
import { readLocal, type LocalFlags } from './local-files.js';
import { inspectApplication, rejectUnknownStatus, type RevisionFlags } from './inspect.js';

/** Seconds that a comparison takes at most; where no controller runs, none comes. */
const REFRESH_TIMEOUT_SECONDS = 60;

export interface DiffFlags extends AppFlags, RevisionFlags, LocalFlags {
  readonly refresh?: boolean;
  readonly hardRefresh?: boolean;
  readonly exitCode?: boolean;
  readonly diffExitCode: number;
}

const MAX_VALUE_LENGTH = 40;
const EXTERNAL_DIFF = 'KUBECTL_EXTERNAL_DIFF';
/** A program that compares says 1 where something differs; more is a failure of its own. */
const EXIT_DIFFERS = 1;

/** `app diff`: what a sync would change, and who owns what differs. Gives the exit code. */
export async function diff(session: AppSession, name: string, flags: DiffFlags): Promise<number> {
  const found = await findApplication(session, applicationId(name, session));
  const application = flags.refresh === true ? await refresh(session, found, 'normal', REFRESH_TIMEOUT_SECONDS) : found;
  const manifests = await readLocal(session, application, flags);
  const inspection = await inspectApplication(session, application, flags, {
    ...(manifests === undefined ? {} : { manifests }),
    ...(flags.hardRefresh === true ? { hard: true } : {}),
  });
  rejectUnknownStatus(inspection);
  const hasDifferences = await printDiffs(session, inspection, manifests === undefined ? 'git' : 'the local files');
  return hasDifferences && flags.exitCode !== false ? flags.diffExitCode : 0;
}

/**
 * Prints what differs, by itself or by the program that the user named; says whether anything does. `source` is where
 * targets come from.
 */
export async function printDiffs({ host }: AppSession, inspection: Inspection, source: string): Promise<boolean> {
  const sorted = differingResources(inspection).sort((a, b) => compareText(keyText(a.key), keyText(b.key)));
  const program = host.environment[EXTERNAL_DIFF] ?? '';
  for (const resource of sorted) {
    const { group, kind, namespace, name } = resource.key;
    host.stdout.write(`\n===== ${group}/${kind} ${namespace}/${name} ======\n`);
    if (program === '') host.stdout.write(formatOne(resource, source));
    else await runExternalDiff(program, resource, host);
  }
  return sorted.length > 0;
}

/** The files have nothing that is not shown here too: Secrets are masked in both. */
async function runExternalDiff(program: string, resource: InspectedResource, host: AppSession['host']): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-diff-'));
  try {
    const { kind, name } = resource.key;
    const stem = `${kind}-${name}`.replaceAll(/[^\w.-]/g, '_').slice(0, 200);
    const files = [
      [`${stem}-live.yaml`, resource.live],
      [`${stem}.yaml`, predictSync(resource)],
    ] as const;
    for (const [file, object] of files) writeFileSync(join(folder, file), plain(object), { mode: 0o600, flag: 'wx' });
    const code = await runProgram(
      EXTERNAL_DIFF,
      program,
      files.map(([file]) => join(folder, file)),
      host,
    );
    if (code > EXIT_DIFFERS) throw new Fault('TOOL_FAILED', `the program ended with ${code}`, { where: EXTERNAL_DIFF });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function formatOne(resource: InspectedResource, source: string): string {
  const lines = unifiedDiff(plain(predictSync(resource)), plain(resource.live));
  return `${lines.endsWith('\n') || lines === '' ? lines : `${lines}\n`}${noteOn(resource, source)}`;
}

function noteOn({ live, target, origin, differences }: InspectedResource, source: string): string {
  const place = origin === '' || source !== 'git' ? '' : ` (${origin})`;
  if (live === undefined) return `only in ${source}${place}: a sync creates it\n`;
  return target === undefined ? 'only in the cluster: a sync with --prune deletes it\n' : formatOwners(differences);
}

/** Who changed the field in the cluster, and when. */
function formatOwners(differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  return formatTable(
    ['FIELD', 'GIT', 'LIVE', 'OWNER', 'SINCE'],
    differences.map(({ pointer, kind, target, live, owner, since }) => [
      pointer,
      kind === 'extra' ? '<removed>' : short(target),
      kind === 'missing' ? '<absent>' : short(live),
      owner === '' ? '<nobody>' : owner,
      since === '' ? '<unknown>' : since,
    ]),
  );
}

function short(value: Json | undefined): string {
  const line = valueText(value).replaceAll(/\s+/g, ' ');
  return line.length > MAX_VALUE_LENGTH ? `${line.slice(0, MAX_VALUE_LENGTH - 3)}...` : line;
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
}

/** Without what only the server writes. */
function plain(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const {
    managedFields: _m,
    resourceVersion: _r,
    uid: _u,
    generation: _g,
    creationTimestamp: _c,
    ...metadata
  } = object.metadata;
  const { status: _s, ...rest } = object;
  return writeYaml({ ...rest, metadata });
}
