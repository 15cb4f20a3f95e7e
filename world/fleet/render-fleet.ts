import { dirname } from 'node:path';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { systemClock } from '../../src/cluster/index.js';
import { renderManifests, type Renderer } from '../../src/control/index.js';
import { RenderCache, renderSource } from '../../src/render/index.js';
import { openSources, type RepositoryAccess } from '../../src/source/index.js';

export interface RenderedApplication {
  readonly name: string;
  /** Where objects without a namespace go. */
  readonly namespace: string;
  /** Of the Application among all. */
  readonly wave: number;
  readonly objects: readonly KubeObject[];
}

export interface RenderFleetOptions {
  /** For mirrors of the repositories; those of this machine stand beside it. */
  readonly data: string;
  /** What opens the repository; nothing for one that is open. */
  readonly access?: RepositoryAccess;
}

const KUBE_VERSION = '1.34.4';
/** Applications at a time: they wait for git, not for the processor. */
const AT_ONCE = 16;

/**
 * What every Application stands for, by the same way that delivery goes. The first that cannot be rendered ends it, by
 * name.
 */
export async function renderFleet(
  applications: readonly KubeObject[],
  { data, access }: RenderFleetOptions,
): Promise<RenderedApplication[]> {
  const sources = await openSources({
    data,
    clock: systemClock,
    random: Math.random,
    environment: { PATH: process.env['PATH'] },
    report: () => undefined,
    protocols: ['http', 'https'],
    fileRepositories: [dirname(data)],
    ...(access === undefined ? {} : { accessTo: () => access }),
  });
  const host: Renderer['host'] = { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' };
  const workshop: Renderer = { sources, cache: new RenderCache(), render: renderSource, host, remoteHosts: [] };
  const rendered: RenderedApplication[] = [];
  try {
    const waiting = applications.entries();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const [index, application] of waiting) rendered[index] = await renderOne(application, workshop);
      }),
    );
  } finally {
    await sources.close();
  }
  return rendered;
}

async function renderOne({ metadata, spec }: KubeObject, workshop: Renderer): Promise<RenderedApplication> {
  const name = metadata.name ?? '';
  const { project, destination, source, sources } = isObject(spec) ? spec : {};
  const namespace = isObject(destination) && typeof destination.namespace === 'string' ? destination.namespace : '';
  const all: JsonObject[] = (isArray(sources) ? sources : [source ?? null]).filter(isObject);
  try {
    const { manifests } = await renderManifests(
      {
        application: { name, namespace: metadata.namespace ?? '', project: String(project) },
        sources: all,
        destinationNamespace: namespace,
        kubeVersion: KUBE_VERSION,
        apiVersions: [],
      },
      workshop,
    );
    return {
      name,
      namespace,
      wave: Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0),
      objects: manifests.map(({ object }) => object),
    };
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
