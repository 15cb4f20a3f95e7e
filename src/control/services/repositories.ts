import { Fault } from '../../model/faults/index.js';
import { isHarmlessLink } from '../../model/formats/index.js';
import { type JsonObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readChartDetails, findApplications, type ChartDetails, type FoundApplication } from '../../render/index.js';
import {
  maskUrl,
  readRepositoryRegistry,
  type RepositoryEntry,
  type RepositoryRegistry,
  type Sources,
} from '../../source/index.js';

/**
 * Whether the repository that a Secret would describe can be opened with it. Charts and registries are asked when they
 * are used.
 */
export async function checkEntry(
  sources: Sources,
  secret: KubeObject,
  known: Pick<RepositoryRegistry, 'accessOf'>,
): Promise<void> {
  const [entry] = readRepositoryRegistry([stored(secret)]).repositories;
  if (entry === undefined || (entry.access.type ?? 'git') !== 'git') return;
  await sources.peek(entry.url, 'HEAD', known.accessOf(entry));
}

/** In the form of Argo CD's API. */
export async function connectionState(
  sources: Sources,
  { url, project, access }: RepositoryEntry,
  now: string,
): Promise<JsonObject> {
  if ((access.type ?? 'git') !== 'git') return { status: 'Unknown', message: '', attemptedAt: null };
  try {
    await sources.refs({ url, project });
    return { status: 'Successful', message: '', attemptedAt: now };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { status: 'Failed', message: error.message, attemptedAt: now };
  }
}

/** What a repository offers at a revision: its charts and kustomizations, by folder. */
export async function applicationsIn(
  sources: Sources,
  { url, project }: RepositoryEntry,
  revision: string,
): Promise<FoundApplication[]> {
  const { commit } = await sources.resolve({ url, project }, revision);
  return findApplications(await sources.tree({ repository: { url, project }, commit, paths: [] }));
}

/** What its author says of the chart that a source names, at a version. */
export async function chartDetailsOf(
  sources: Sources,
  source: JsonObject,
  project: string,
  version: string,
): Promise<ChartDetails> {
  const [url, chart] = [textAt(source, 'repoURL'), textAt(source, 'chart')];
  if (chart === '')
    throw new Fault('VALUE_INVALID', 'the source is not a Helm chart repository', { where: maskUrl(url) });
  const { bytes, digest } = await sources.fetchChart({ repository: { url, project }, chart, version });
  const { home, ...rest } = readChartDetails(bytes, digest, chart);
  return { ...rest, home: isHarmlessLink(home) ? home : '' };
}

/** The Secret as the server would keep it. */
function stored(secret: KubeObject): KubeObject {
  const { stringData, ...rest } = secret;
  const data = Object.fromEntries(
    Object.entries((stringData ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]),
  );
  return { ...rest, data };
}
