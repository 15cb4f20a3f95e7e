import { ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isArray, isObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { follow } from '../../cluster/index.js';
import { type AppSession, isRefreshing, requestRefresh, withSession } from '../session/index.js';
import type { CliHost, ClusterFlags } from '../host/index.js';
import { formatTable } from '../output/index.js';
import { checkKey, checkTitle, readChecks, type Check } from './read-checks.js';
import { checksIn, dataOf, findSettings, type SettingsLocation } from './find-settings.js';
import { APPLICATIONS, CONFIG_MAPS } from '../../model/resources/index.js';

export interface ApplyFlags extends ClusterFlags {
  readonly force?: boolean;
  readonly namespace?: string;
  readonly name?: string;
  readonly dir?: string;
  readonly timeout: number;
}

export const SEPARATOR = '='.repeat(42);
const MAX_CONFLICTS = 5;

/** Installs health checks where the settings are written, step by step. False where somebody said no. */
export async function applyChecks(flags: ApplyFlags, host: CliHost): Promise<boolean> {
  // A script that cannot run is told before anything is changed.
  const checks = readChecks(host.catalogue, flags.dir);
  return withSession(flags, host, 'write', async (session) => {
    const say = (line: string): void => void host.stdout.write(`${line}\n`);
    say(`${SEPARATOR}\nSetting up ArgoCD Health Checks\n${SEPARATOR}`);
    say('\nStep 1: Checking if ArgoCD CR exists...');
    const home = await findSettings(session.cluster, flags);
    say(
      home.argocd === undefined
        ? `✓ No ArgoCD CR in ${home.namespace}: argocd-cm is written ` +
            `itself${home.map === undefined ? ', and made first' : ''}`
        : `✓ ArgoCD CR ${home.argocd.object.metadata.name ?? ''} found in ${home.namespace}`,
    );
    say('\nStep 2: Checking if health checks are already configured...');
    if (!(await mayProceed(checks, home, flags, host))) return false;
    await install(session, checks, home, flags.timeout, say);
    await refreshAll(session, home, flags.timeout, say);
    return true;
  });
}

/** Asks where a check of somebody else would be replaced. */
async function mayProceed(
  checks: readonly Check[],
  home: SettingsLocation,
  { force }: ApplyFlags,
  host: CliHost,
): Promise<boolean> {
  const known = knownChecks(home);
  const others = checks.filter((check) => known.has(checkKey(check)) && known.get(checkKey(check)) !== check.check);
  const same = checks.filter((check) => known.get(checkKey(check)) === check.check);
  if (same.length > 0) host.stdout.write(`✓ already configured: ${same.map(checkTitle).join(', ')}\n`);
  if (others.length === 0) {
    if (same.length === 0) host.stdout.write(`✓ none of the ${checks.length} checks is configured yet\n`);
    return true;
  }
  host.stdout.write(`! configured with another script: ${others.map(checkTitle).join(', ')}\n`);
  if (
    force === true ||
    (await host.confirm(`Replace ${others.length === 1 ? 'this check' : `these ${others.length} checks`}?`))
  )
    return true;
  host.stdout.write('Nothing was changed. --force replaces without a prompt.\n');
  return false;
}

function knownChecks({ argocd, map }: SettingsLocation): ReadonlyMap<string, string> {
  if (argocd === undefined) return dataOf(map);
  return new Map(
    checksIn(argocd.object).map((entry) => [
      checkKey(groupKind(entry)),
      typeof entry.check === 'string' ? entry.check : '',
    ]),
  );
}

function groupKind({ group, kind }: JsonObject): { group: string; kind: string } {
  return { group: typeof group === 'string' ? group : '', kind: typeof kind === 'string' ? kind : '' };
}

async function install(
  session: AppSession,
  checks: readonly Check[],
  home: SettingsLocation,
  timeout: number,
  say: (line: string) => void,
): Promise<void> {
  if (home.argocd === undefined) {
    say('\nStep 3: Writing the health checks into argocd-cm...');
    await writeMap(session, checks, home);
    say(`✓ ${checks.length} keys written, all others unchanged`);
    say('\nStep 4: Waiting for the ConfigMap...');
    say(
      '✓ argocd-cm is not managed by an operator: nothing to wait for\n  Argosy reads it immediately. ' +
        `Argo CD itself may need a restart:\n  kubectl rollout restart deployment argocd-server -n ${home.namespace}`,
    );
  } else {
    say('\nStep 3: Patching the ArgoCD CR with spec.resourceHealthChecks...');
    const kept = await patchArgoCD(session, checks, home.argocd.object, home.argocd.kind);
    say(`✓ ${checks.length} checks written, ${kept} existing kept`);
    say('\nStep 4: Waiting for the operator to update the ConfigMap...');
    await awaitMap(session, checks, home, timeout);
    say('✓ the operator has updated argocd-cm');
  }
  say('\nStep 5: Verifying the health checks in the ConfigMap...');
  const data = dataOf(await session.cluster.get(CONFIG_MAPS, { namespace: home.namespace, name: 'argocd-cm' }));
  const missing = checks.filter((check) => !hasCheck(data, check));
  if (missing.length > 0)
    throw new Fault(
      'CHECK_FAILED',
      `argocd-cm does not contain the check of ${missing.map(checkTitle).join(', ')} any more: it was reverted`,
      { where: `${home.namespace}/argocd-cm` },
    );
  for (const check of checks) say(`✓ ${checkKey(check)}`);
}

/** Operators may end a text with or without a line break. */
function hasCheck(data: ReadonlyMap<string, string>, check: Check): boolean {
  return data.get(checkKey(check))?.trim() === check.check.trim();
}

async function writeMap(
  { cluster }: AppSession,
  checks: readonly Check[],
  { namespace, map }: SettingsLocation,
): Promise<void> {
  const data = Object.fromEntries(checks.map((check) => [checkKey(check), check.check]));
  if (map !== undefined)
    await cluster.patch(CONFIG_MAPS, { namespace, name: 'argocd-cm' }, { type: 'merge', body: { data } });
  else
    await cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        namespace,
        name: 'argocd-cm',
        labels: { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' },
      },
      data,
    });
}

/** A merge patch replaces a list as a whole: it is merged by group and kind first, over the version that was read. */
async function patchArgoCD(
  { cluster }: AppSession,
  checks: readonly Check[],
  argocd: KubeObject,
  kind: Parameters<typeof cluster.get>[0],
): Promise<number> {
  const { namespace = '', name = '' } = argocd.metadata;
  for (let current = argocd, tries = 1; ; tries++) {
    const entries = checksIn(current);
    const wanted = new Map(checks.map((check) => [checkKey(check), check]));
    const kept = entries.filter((entry) => !wanted.has(checkKey(groupKind(entry))));
    const replaced = entries.map((entry) => ({ ...entry, ...wanted.get(checkKey(groupKind(entry))) }));
    const added = checks
      .filter((check) => !entries.some((entry) => checkKey(groupKind(entry)) === checkKey(check)))
      .map((check) => ({ ...check }));
    try {
      await cluster.patch(
        kind,
        { namespace, name },
        {
          type: 'merge',
          body: {
            metadata: { resourceVersion: current.metadata.resourceVersion ?? '' },
            spec: { resourceHealthChecks: [...replaced, ...added] },
          },
        },
      );
      return kept.length;
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isConflict || tries === MAX_CONFLICTS) throw error;
      current = (await cluster.get(kind, { namespace, name })) ?? current;
    }
  }
}

async function awaitMap(
  session: AppSession,
  checks: readonly Check[],
  { namespace, argocd }: SettingsLocation,
  timeout: number,
): Promise<void> {
  const map = await session.cluster.get(CONFIG_MAPS, { namespace, name: 'argocd-cm' });
  const isThere = (object: KubeObject | undefined): true | undefined =>
    object !== undefined && checks.every((check) => hasCheck(dataOf(object), check)) ? true : undefined;
  const start: KubeObject = map ?? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'argocd-cm' } };
  if ((await follow(session, start, isThere, timeout, CONFIG_MAPS)) !== 'timeout') return;
  const { name = '' } = argocd?.object.metadata ?? {};
  const now = argocd === undefined ? undefined : await session.cluster.get(argocd.kind, { namespace, name });
  const said = conditionsOf(now)
    .filter(({ type, status }) => status === 'False' && (type === 'Reconciled' || type === 'ChecksValid'))
    .map(({ message }) => String(message));
  throw new Fault(
    'WAIT_TIMED_OUT',
    `no operator copied the checks of ArgoCD ${name} to argocd-cm within ${timeout} ` +
      `s${said.length === 0 ? '' : `; it reports: ${said.join('; ')}`}. argosy health verify -n ${namespace} ` +
      'says more',
    { where: `${namespace}/argocd-cm` },
  );
}

export function conditionsOf(object: KubeObject | undefined): JsonObject[] {
  const status = isObject(object?.status) ? object.status : {};
  return isArray(status.conditions) ? status.conditions.filter(isObject) : [];
}

async function refreshAll(
  session: AppSession,
  { namespace }: SettingsLocation,
  timeout: number,
  say: (line: string) => void,
): Promise<void> {
  say('\nStep 6: Forcing a refresh of all applications...');
  const applications = (await session.cluster.list(APPLICATIONS, { namespace })).items;
  const asked = await Promise.all(applications.map((application) => requestRefresh(session, application, 'hard')));
  say(`✓ ${asked.length} ${asked.length === 1 ? 'application' : 'applications'} refreshed`);
  say('\nStep 7: Waiting for health status to update...');
  const ends = await Promise.all(
    asked.map(async (application) => ({
      application,
      end: await follow(
        session,
        application,
        (now) => (now !== undefined && isRefreshing(now) ? undefined : true),
        timeout,
      ),
    })),
  );
  const late = ends.filter(({ end }) => end === 'timeout').map(({ application }) => application.metadata.name ?? '');
  say(
    late.length === 0
      ? '✓ every application was assessed with the new checks'
      : `! not refreshed within ${timeout} s: ${late.join(', ')}`,
  );
  say(
    `\nStep 8: Displaying the current application status...\n\n${SEPARATOR}\nCurrent Application Status:\n${SEPARATOR}`,
  );
  session.host.stdout.write(statusTable((await session.cluster.list(APPLICATIONS, { namespace })).items));
}

/** As `kubectl get applications` prints it. */
export function statusTable(applications: readonly KubeObject[]): string {
  return wideTable(
    ['NAME', 'SYNC STATUS', 'HEALTH STATUS'],
    applications.map((application) => [
      application.metadata.name ?? '',
      textAt(application, 'status', 'sync', 'status'),
      textAt(application, 'status', 'health', 'status'),
    ]),
  );
}

/** With three spaces between columns, as kubectl has them. */
export function wideTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const wide = (cells: readonly string[]): string[] =>
    cells.map((cell, index) => (index === cells.length - 1 ? cell : `${cell} `));
  return formatTable(wide(header), rows.map(wide));
}
