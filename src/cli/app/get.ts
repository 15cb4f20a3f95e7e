import type { Cluster } from '../../cluster/index.js';
import { gvkOf, keyOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { humanDuration } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import {
  type AppFlags,
  type AppSession,
  applicationId,
  findApplication,
  readSettings,
  refresh,
} from '../session/index.js';
import { objectsAt } from '../../model/json/index.js';
import { formatCauses } from '../causes/index.js';
import {
  withDestination,
  assess,
  Kinds,
  openAssessor,
  readHealths,
  readManaged,
  readTree,
  treeLines,
  type TreeNode,
  formatConditions,
  formatOperation,
  formatParameters,
  formatSummary,
  positionOfSource,
  timeOf,
  formatStates,
  resourceStates,
  readWindows,
} from '../application/index.js';
import { formatReasons } from './explain.js';

export interface GetFlags extends AppFlags {
  readonly output: string;
  readonly refresh?: boolean;
  readonly hardRefresh?: boolean;
  readonly showOperation?: boolean;
  readonly showParams?: boolean;
  readonly sourcePosition?: number;
  readonly sourceName?: string;
  readonly timeout: number;
}

/** `app get`. */
export async function get(session: AppSession, name: string, flags: GetFlags): Promise<string> {
  const found = await findApplication(session, applicationId(name, session));
  const isAsked = flags.refresh === true || flags.hardRefresh === true;
  const application = isAsked
    ? await refresh(session, found, flags.hardRefresh === true ? 'hard' : 'normal', flags.timeout)
    : found;
  if (flags.output === 'json') return prettyJson(application);
  if (flags.output === 'yaml') return writeYaml(application);
  return [
    await formatHeader(session, application, flags),
    await formatResources(session, application, flags.output),
    await formatReasons(session, application),
  ].join('');
}

async function formatHeader(session: AppSession, application: KubeObject, flags: GetFlags): Promise<string> {
  const conditions = formatConditions(application);
  const operation = flags.showOperation === true ? formatOperation(application, session.host.now()) : '';
  const position =
    flags.sourceName === undefined ? flags.sourcePosition : positionOfSource(application, flags.sourceName);
  return [
    formatSummary(application, await urlOf(session, application), await readWindows(session, application)),
    await formatCauses(session, application),
    conditions === '' ? '' : `\n${conditions}`,
    operation === '' ? '' : `\n${operation}`,
    flags.showParams === true ? formatParameters(application, position) : '',
  ].join('');
}

/** The page of the application, where the settings name the address of the web. */
export async function urlOf(session: AppSession, { metadata }: KubeObject): Promise<string> {
  const base = (await readSettings(session, 'argocd-cm'))['url'] ?? '';
  return base === '' ? '' : `${base.replace(/(?<!\/)\/+$/, '')}/applications/${metadata.name ?? ''}`;
}

/** The table or the tree of resources, after an empty line; nothing where there are none. */
export async function formatResources(session: AppSession, application: KubeObject, output: string): Promise<string> {
  if (objectsAt(application, 'status', 'resources').length === 0) return '';
  if (!output.startsWith('tree'))
    return `\n${formatStates(resourceStates(application, [], await readHealths(session, application)))}`;
  const tree = await withDestination(session, application, (cluster) =>
    formatTree(session, cluster, application, output === 'tree=detailed'),
  );
  return `\n${tree}`;
}

async function formatTree(
  session: AppSession,
  cluster: Cluster,
  application: KubeObject,
  isDetailed: boolean,
): Promise<string> {
  const { host } = session;
  const [kinds, assessor] = await Promise.all([Kinds.of(cluster), openAssessor(session)]);
  const { live, unread } = await readManaged(cluster, kinds, application);
  const lines = treeLines(await readTree(cluster, kinds, [...live.values()]));
  const states = resourceStates(application);
  const stateOf = new Map(states.map((state) => [keyText(state.key), state]));
  const missing = states.filter(({ key }) => !live.has(keyText(key)));
  const rows = await Promise.all(
    lines.map(async ({ node, prefix }) => {
      const state = stateOf.get(keyText(keyOf(node.object)));
      const health = await assess(cluster, kinds, assessor, node.object);
      const name = `${prefix}${gvkOf(node.object).kind}/${node.object.metadata.name ?? ''}`;
      const shown = [name, state?.status ?? '', state?.health || (health?.status ?? '')];
      return isDetailed
        ? [...shown, age(node, host.now()), state?.message ?? '', health?.message ?? '']
        : [...shown, state?.message ?? ''];
    }),
  );
  const rest = missing.map(({ key, status, health, hook, message }) => [
    `${key.kind}/${key.name}`,
    status,
    health || (hook !== '' || unread.has(keyText(key)) ? '' : 'Missing'),
    ...(isDetailed ? ['<unknown>', message, ''] : [message]),
  ]);
  return formatTable(
    isDetailed
      ? ['KIND/NAME', 'STATUS', 'HEALTH', 'AGE', 'MESSAGE', 'REASON']
      : ['KIND/NAME', 'STATUS', 'HEALTH', 'MESSAGE'],
    [...rows, ...rest],
  );
}

export function age({ object }: TreeNode, now: number): string {
  const created = timeOf(object.metadata.creationTimestamp ?? '');
  return created === 0 ? '<unknown>' : humanDuration(now - created);
}
