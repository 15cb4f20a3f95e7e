import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type JsonObject } from '../../model/json/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  awaitedImages,
  builtImage,
  imageText,
  type ImageName,
  type ImageState,
  type SyncInput,
} from '../../plan/index.js';
import { kindTopic } from '../queue/index.js';
import type { RunningOperation } from '../operation/index.js';
import type { Reconciliation } from './reconciliation.js';

const STREAM = { group: 'image.openshift.io', kind: 'ImageStream' };
const BUILD = { group: 'build.openshift.io', kind: 'Build' };
const NO_TOPICS: ReadonlySet<string> = new Set();
const TOPICS: ReadonlySet<string> = new Set([kindTopic(STREAM), kindTopic(BUILD)]);
/** Milliseconds between two requests to a registry, or to a cluster whose ImageStreams are not watched. */
const POLL_INTERVAL = 10_000;

/** Adds the states of the images that the gates name. A change of what they wait for enqueues the application. */
export async function withImageStates(
  reconciliation: Reconciliation,
  input: SyncInput,
  running: RunningOperation,
): Promise<SyncInput> {
  const images = awaitedImages(input);
  running.awaitedTopics = images.length === 0 ? NO_TOPICS : TOPICS;
  if (images.length === 0) return input;
  const states = new Map(
    await Promise.all(
      images.map(async (image) => [imageText(image), await imageStateOf(reconciliation, image, input)] as const),
    ),
  );
  return { ...input, imageState: (image) => states.get(imageText(image)) };
}

async function imageStateOf(reconciliation: Reconciliation, image: ImageName, input: SyncInput): Promise<ImageState> {
  try {
    const isThere =
      image.in === 'stream' ? await streamState(reconciliation, image) : await registryState(reconciliation, image);
    if (isThere.state !== 'awaited') return isThere;
    return buildState(reconciliation, image, input, isThere);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      state: 'awaited',
      message: `its state cannot be read: ${error.message}`,
      requeueAt: nextPoll(reconciliation),
    };
  }
}

function nextPoll({ context }: Reconciliation): Date {
  return new Date(context.clock.now().getTime() + POLL_INTERVAL);
}

type Awaited = Extract<ImageState, { state: 'awaited' }>;

async function streamState(
  reconciliation: Reconciliation,
  { namespace, name, tag }: Extract<ImageName, { in: 'stream' }>,
): Promise<ImageState> {
  const { clusterCache } = reconciliation;
  const doubt = clusterCache.unreadableReason(STREAM);
  if (
    doubt === undefined &&
    clusterCache.kindOf({ apiVersion: 'image.openshift.io/v1', kind: 'ImageStream' }) === undefined
  ) {
    return {
      state: 'failed',
      message:
        'the cluster does not serve ImageStream of image.openshift.io. Name the image as REGISTRY/REPOSITORY:TAG',
    };
  }
  const stream = await clusterCache.read({ ...STREAM, namespace, name });
  const found = tagsOf(stream).find((each) => each.tag === tag);
  if (isArray(found?.items) && found.items.length > 0) return { state: 'there' };
  const isFollowed = doubt === undefined && clusterCache.isWatched(STREAM);
  const message =
    stream === undefined
      ? `ImageStream ${namespace}/${name} does not exist`
      : (importFailure(found) ?? `ImageStream ${namespace}/${name} has no tag ${tag}`);
  return { state: 'awaited', message, ...(isFollowed ? {} : { requeueAt: nextPoll(reconciliation) }) };
}

function tagsOf(stream: KubeObject | undefined): JsonObject[] {
  const status = stream?.status;
  return isObject(status) && isArray(status.tags) ? status.tags.filter(isObject) : [];
}

function importFailure(tag: JsonObject | undefined): string | undefined {
  const conditions = isArray(tag?.conditions) ? tag.conditions.filter(isObject) : [];
  const failed = conditions.find(({ type, status }) => type === 'ImportSuccess' && status === 'False');
  return failed === undefined
    ? undefined
    : `it cannot be imported: ${String(failed.message ?? failed.reason ?? 'no reason given')}`;
}

async function registryState(
  reconciliation: Reconciliation,
  { host, repository, tag }: Extract<ImageName, { in: 'registry' }>,
): Promise<ImageState> {
  const { context, application } = reconciliation;
  const isPublic = context.controlPlane.settings.imageRegistries.some(
    (pattern) => matchesGlob(pattern, host.replace(/:\d+$/, '')) || matchesGlob(pattern, host),
  );
  const isThere = await context.renderer.sources.hasImage({
    host,
    repository,
    tag,
    project: application.project,
    isPublic,
  });
  return isThere
    ? { state: 'there' }
    : { state: 'awaited', message: `${host} does not have it`, requeueAt: nextPoll(reconciliation) };
}

/** The state of the newest Build that pushes the image: a failed one will not push it. */
function buildState(
  { clusterCache }: Reconciliation,
  image: ImageName,
  { resources, destinationNamespace }: SyncInput,
  awaited: Awaited,
): ImageState {
  const wanted = imageText(image);
  const pushesImage = (object: KubeObject | undefined): boolean => {
    const built = object && builtImage(object, destinationNamespace);
    return built !== undefined && imageText(built) === wanted;
  };
  const config = resources.find(({ target }) => pushesImage(target))?.live;
  const since = config?.metadata.creationTimestamp ?? '';
  // Builds of a deleted BuildConfig do not count for the one that replaced it.
  const builds = clusterCache
    .listOf(BUILD)
    .filter((build) => pushesImage(build) && (build.metadata.creationTimestamp ?? '') >= since);
  const newest = builds
    .sort(
      (a, b) =>
        compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
        numberOf(a) - numberOf(b),
    )
    .at(-1);
  const started =
    isObject(config?.status) && typeof config.status.lastVersion === 'number' ? config.status.lastVersion : 0;
  if (newest === undefined || (config !== undefined && numberOf(newest) < started)) {
    return config === undefined
      ? awaited
      : {
          ...awaited,
          message:
            started === 0
              ? `BuildConfig ${config.metadata.name ?? ''} has not started a build yet`
              : `build ${started} of BuildConfig ${config.metadata.name ?? ''} begins`,
        };
  }
  return assessBuild(newest, awaited);
}

function assessBuild(build: KubeObject, awaited: Awaited): ImageState {
  const status = isObject(build.status) ? build.status : {};
  const name = build.metadata.name ?? '';
  const why = [status.reason, status.message]
    .filter((each): each is string => typeof each === 'string' && each !== '')
    .map((each) => `: ${each}`)
    .join('');
  const command = `oc start-build ${configOf(build)} -n ${build.metadata.namespace ?? ''}`;
  const next = `${why.endsWith('.') ? '' : '.'} Fix it, then start another build: ${command}`;
  switch (status.phase) {
    case 'Failed':
      return { state: 'failed', message: `Build ${name} failed${why}${next}` };
    case 'Error':
      return { state: 'failed', message: `Build ${name} could not run${why}${next}` };
    case 'Cancelled':
      return { state: 'failed', message: `Build ${name} was cancelled${why}${next}` };
    case 'Complete':
      return awaited;
    default:
      return {
        ...awaited,
        message: `Build ${name} is ${typeof status.phase === 'string' ? status.phase : 'New'}${why}`,
      };
  }
}

function numberOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.['openshift.io/build.number'] ?? /-(\d+)$/.exec(metadata.name ?? '')?.[1] ?? 0);
}

function configOf({ metadata, status }: KubeObject): string {
  const config = isObject(status) && isObject(status.config) ? status.config.name : undefined;
  return typeof config === 'string'
    ? config
    : (metadata.annotations?.['openshift.io/build-config.name'] ?? (metadata.name ?? '').replace(/-\d+$/, ''));
}
