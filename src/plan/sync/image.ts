import { gvkOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { podSpecOf } from './pod-references.js';

/** An image that something waits for: a tag of an ImageStream of the cluster, or one of a registry elsewhere. */
export type ImageName =
  | { readonly in: 'stream'; readonly namespace: string; readonly name: string; readonly tag: string }
  | { readonly in: 'registry'; readonly host: string; readonly repository: string; readonly tag: string };

/** How far an image is. `failed`: it will not come by itself. */
export type ImageState =
  | { readonly state: 'there' }
  | { readonly state: 'awaited'; readonly message: string; readonly requeueAt?: Date }
  | { readonly state: 'failed'; readonly message: string };

export const WAIT_FOR_IMAGE = 'argosy.dev/wait-for-image';

/** Names under which pods know the registry of their own OpenShift cluster. */
const INTERNAL_HOSTS = [
  'image-registry.openshift-image-registry.svc',
  'image-registry.openshift-image-registry.svc.cluster.local',
  'docker-registry.default.svc',
  'docker-registry.default.svc.cluster.local',
];
const NAME = '[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?';
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const STREAM_TAG = new RegExp(`^imagestreamtag/(${NAME}):(${TAG})(?:@(${NAME}))?$`);
const HOST = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9-]+(?=:))(?::\d{1,5})?$/i;

/** `imagestreamtag/NAME:TAG[@NAMESPACE]` or `REGISTRY/REPOSITORY:TAG`; undefined for anything else. */
export function readImageName(text: string, namespace: string): ImageName | undefined {
  const [, name, tag, where = namespace] = STREAM_TAG.exec(text) ?? [];
  if (name !== undefined && tag !== undefined)
    return where === '' ? undefined : { in: 'stream', namespace: where, name, tag };
  return readReference(text, undefined);
}

/** The image that a container names, where it names a registry and no digest; without a tag it is `latest`. */
export function readPodImage(text: string): ImageName | undefined {
  return readReference(text, 'latest');
}

function readReference(text: string, defaultTag: string | undefined): ImageName | undefined {
  const slash = text.indexOf('/');
  const host = text.slice(0, Math.max(slash, 0));
  if (!HOST.test(host)) return undefined;
  const rest = text.slice(slash + 1);
  const colon = rest.lastIndexOf(':');
  const [repository, tag] = colon < 0 ? [rest, defaultTag] : [rest.slice(0, colon), rest.slice(colon + 1)];
  const parts = repository.split('/');
  if (
    tag === undefined ||
    !new RegExp(`^${TAG}$`).test(tag) ||
    !parts.every((part) => new RegExp(`^${NAME}$`).test(part))
  )
    return undefined;
  const [namespace = '', name = ''] = parts;
  if (INTERNAL_HOSTS.includes(host.replace(/:\d+$/, '')))
    return parts.length === 2 ? { in: 'stream', namespace, name, tag } : undefined;
  return { in: 'registry', host: host.toLowerCase(), repository, tag };
}

/** Entries of `argosy.dev/wait-for-image` that name no image. */
export function unreadableImages(words: readonly string[]): string[] {
  return words.filter((word) => readImageName(word, 'default') === undefined);
}

/** As people write it in `argosy.dev/wait-for-image`. */
export function imageText(image: ImageName): string {
  return image.in === 'stream'
    ? `imagestreamtag/${image.name}:${image.tag}@${image.namespace}`
    : `${image.host}/${image.repository}:${image.tag}`;
}

/** What stands for an image among the things that a sync waits for. */
export function imageKey(image: ImageName): Key {
  if (image.in === 'stream')
    return {
      group: 'image.openshift.io',
      kind: 'ImageStreamTag',
      namespace: image.namespace,
      name: `${image.name}:${image.tag}`,
    };
  return { group: '', kind: 'Image', namespace: '', name: imageText(image) };
}

/** The image that a BuildConfig or a Build pushes. */
export function builtImage(object: KubeObject, destinationNamespace = ''): ImageName | undefined {
  const { group, kind } = gvkOf(object);
  if (group !== 'build.openshift.io' || (kind !== 'BuildConfig' && kind !== 'Build')) return undefined;
  const output = within(object.spec, 'output');
  const { kind: toKind, name, namespace } = within(output, 'to');
  if (typeof name !== 'string') return undefined;
  if (toKind === 'DockerImage') return readPodImage(name);
  const where =
    typeof namespace === 'string' && namespace !== '' ? namespace : (object.metadata.namespace ?? destinationNamespace);
  return toKind === 'ImageStreamTag' ? readImageName(`imagestreamtag/${name}`, where) : undefined;
}

/** Images that the pods of an object run: of workloads, notebooks and model servers. */
export function podImages(object: KubeObject): ImageName[] {
  const texts = [...containerImages(podSpecOf(object)), ...ofCustomKind(object)];
  const images = texts.flatMap((text) => readPodImage(text) ?? []);
  return [...new Map(images.map((image) => [imageText(image), image])).values()];
}

function ofCustomKind(object: KubeObject): string[] {
  const { group, kind } = gvkOf(object);
  const spec = isObject(object.spec) ? object.spec : {};
  switch (`${group}/${kind}`) {
    case 'mlops.mlops.dev/NotebookValidationJob':
      return texts(within(spec, 'podConfig').containerImage);
    case 'kubeflow.org/Notebook':
      return containerImages(within(within(spec, 'template'), 'spec'));
    case 'serving.kserve.io/InferenceService':
      return (['predictor', 'transformer', 'explainer'] as const).flatMap((part) => [
        ...containerImages(within(spec, part)),
        ...texts(within(within(spec, part), 'model').image),
      ]);
    case 'serving.kserve.io/ServingRuntime':
    case 'serving.kserve.io/ClusterServingRuntime':
      return containerImages(spec);
    default:
      return [];
  }
}

function containerImages(pod: JsonObject | undefined): string[] {
  return [pod?.initContainers, pod?.containers].flatMap((list) =>
    isArray(list) ? list.filter(isObject).flatMap(({ image }) => texts(image)) : [],
  );
}

function texts(value: Json | undefined): string[] {
  return typeof value === 'string' ? [value] : [];
}

type Part = 'output' | 'to' | 'podConfig' | 'template' | 'spec' | 'predictor' | 'transformer' | 'explainer' | 'model';

function within(value: Json | undefined, name: Part): JsonObject {
  const inner = isObject(value) ? own(value, name) : undefined;
  return isObject(inner) ? inner : {};
}
