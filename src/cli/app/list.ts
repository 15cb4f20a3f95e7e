import {
  DEVIATIONS,
  acceptedDeviations,
  currentDeviations,
  idOf,
  isAutomated,
  projectOf,
  qualifiedName,
  readAcceptance,
  serverOf,
  sourcesOf,
} from '../../model/argo/index.js';
import { objectAt, objectsAt, textAt } from '../../model/json/index.js';
import { ClusterError } from '../../cluster/index.js';
import { compareText } from '../../model/go/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { type AppFlags, type AppSession, listApplications } from '../session/index.js';

export interface ListFlags extends AppFlags {
  readonly output: string;
  readonly selector?: string;
  readonly project?: readonly string[];
  readonly repo?: string;
  readonly cluster?: string;
  readonly path?: string;
}

/** `app list`. */
export async function list(session: AppSession, flags: ListFlags): Promise<string> {
  const found = (await listApplications(session, flags.selector)).filter((application) => isWanted(application, flags));
  found.sort((a, b) => compareText(qualifiedName(idOf(a)), qualifiedName(idOf(b))));
  if (flags.output === 'json') return prettyJson(found);
  if (flags.output === 'yaml') return writeYaml(found);
  if (flags.output === 'name') return found.map((application) => `${qualifiedName(idOf(application))}\n`).join('');
  if (found.length === 0) session.host.stderr.write(await explainNone(session, flags));
  if (found.some(accepts)) session.host.stderr.write(countAccepted(found));
  return formatApplications(found, flags.output === 'wide');
}

/** An empty table says nothing of where Applications were looked for, and of those that are elsewhere. */
async function explainNone({ cluster, appNamespace, controlNamespace }: AppSession, flags: ListFlags): Promise<string> {
  const where = appNamespace ?? controlNamespace;
  const isFiltered = [flags.selector, flags.repo, flags.cluster, flags.path, ...(flags.project ?? [])].some(Boolean);
  const none = `no Applications${isFiltered ? ' that match' : ''} in namespace ${where}`;
  const counts = new Map<string, number>();
  try {
    for (const { metadata } of (await cluster.list(APPLICATIONS)).items)
      counts.set(metadata.namespace ?? '', (counts.get(metadata.namespace ?? '') ?? 0) + 1);
  } catch (error) {
    // Whoever may list one namespace only is told of that one.
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
  }
  counts.delete(where);
  const others = [...counts].sort(([a], [b]) => compareText(a, b)).map(([name, count]) => `${name} (${count})`);
  if (others.length === 0) return `${none}\n`;
  return `${none}; there are Applications in ${others.join(', ')}: name one with --control-namespace or -N\n`;
}

function accepts(application: KubeObject): boolean {
  return readAcceptance(application).deviations.length > 0;
}

/** A row for each. */
export function formatApplications(applications: readonly KubeObject[], isWide: boolean): string {
  // The columns are Argo CD's; one more comes where somebody accepts something, so that it is seen beside what it is
  // about.
  const showsAccepted = applications.some(accepts);
  const header = [
    'NAME',
    'CLUSTER',
    'NAMESPACE',
    'PROJECT',
    'STATUS',
    'HEALTH',
    'SYNCPOLICY',
    'CONDITIONS',
    ...(isWide ? ['REPO', 'PATH', 'TARGET'] : []),
    ...(showsAccepted ? ['ACCEPTED'] : []),
  ];
  return formatTable(
    header,
    applications.map((application) => {
      const [source = {}] = sourcesOf(application);
      const row = [
        qualifiedName(idOf(application)),
        serverOf(application),
        textAt(application, 'spec', 'destination', 'namespace'),
        projectOf(application),
        textAt(application, 'status', 'sync', 'status'),
        textAt(application, 'status', 'health', 'status'),
        policy(application),
        conditions(application),
      ];
      return [
        ...row,
        ...(isWide ? [textAt(source, 'repoURL'), textAt(source, 'path'), textAt(source, 'targetRevision')] : []),
        ...(showsAccepted ? [acceptedDeviations(application).join(',') || '<none>'] : []),
      ];
    }),
  );
}

/** How many applications are accepted as they are, of how many that show the same. */
function countAccepted(applications: readonly KubeObject[]): string {
  const counts = DEVIATIONS.map((deviation) => {
    const shown = applications.filter((application) => currentDeviations(application).includes(deviation));
    return (
      `${shown.filter((application) => acceptedDeviations(application).includes(deviation)).length} of ` +
      `${shown.length} ${deviation}`
    );
  });
  return `accepted: ${counts.join(', ')} (argosy check --all says why)\n`;
}

function isWanted(application: KubeObject, { project = [], repo, cluster, path }: ListFlags): boolean {
  const sources = sourcesOf(application);
  return (
    (project.length === 0 || project.includes(projectOf(application))) &&
    (repo === undefined || sources.some((source) => plainUrl(textAt(source, 'repoURL')) === plainUrl(repo))) &&
    (cluster === undefined ||
      [
        textAt(application, 'spec', 'destination', 'server'),
        textAt(application, 'spec', 'destination', 'name'),
      ].includes(cluster)) &&
    (path === undefined || sources.some((source) => textAt(source, 'path') === path))
  );
}

/** People write the same repository with and without `.git` and a slash at the end. */
function plainUrl(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
}

function policy(application: KubeObject): string {
  if (!isAutomated(application)) return 'Manual';
  return objectAt(application, 'spec', 'syncPolicy', 'automated')?.prune === true ? 'Auto-Prune' : 'Auto';
}

function conditions(application: KubeObject): string {
  const counts = new Map<string, number>();
  for (const each of objectsAt(application, 'status', 'conditions'))
    counts.set(textAt(each, 'type'), (counts.get(textAt(each, 'type')) ?? 0) + 1);
  const items = [...counts].map(([type, count]) => (count > 1 ? `${type}(${count})` : type)).sort(compareText);
  return items.length === 0 ? '<none>' : items.join(',');
}
