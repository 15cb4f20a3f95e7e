import { addressOfLink } from '../../model/formats/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { type JsonObject, isObject, objectAt, objectsAt, textAt } from '../../model/json/index.js';

export interface InfoItem {
  readonly name: string;
  readonly value: string;
}

export interface NetworkingInfo {
  readonly targetLabels?: Readonly<Record<string, string>>;
  readonly targetRefs?: readonly {
    readonly group?: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name?: string;
  }[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly ingress?: readonly JsonObject[];
  readonly externalURLs?: readonly string[];
}

export interface Described {
  readonly info: readonly InfoItem[];
  readonly images: readonly string[];
  readonly networkingInfo: NetworkingInfo | undefined;
}

const LINK = 'link.argocd.argoproj.io/';

/** What a tree shows of an object beside its name: as Argo CD fills its nodes. */
export function describeObject(object: KubeObject, customLabels: readonly string[]): Described {
  const { group, kind } = gvkOf(object);
  const { labels = {}, annotations = {} } = object.metadata;
  const links = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(LINK) && addressOfLink(value) !== undefined)
    .map(([, value]) => value);
  const revision = annotations['deployment.kubernetes.io/revision'] ?? annotations['rollout.argoproj.io/revision'];
  const general = [
    ...(revision === undefined ? [] : [{ name: 'Revision', value: `Rev:${revision}` }]),
    ...customLabels.flatMap((label) =>
      Object.hasOwn(labels, label) ? [{ name: label, value: labels[label] ?? '' }] : [],
    ),
  ];
  const own = links.length === 0 ? undefined : { externalURLs: links };
  if (group === '' && kind === 'Pod') return describePod(object, general, labels, links);
  if (group === '' && kind === 'Service')
    return { info: general, images: [], networkingInfo: serviceNetwork(object, links) };
  if (kind === 'Ingress' && (group === 'networking.k8s.io' || group === 'extensions'))
    return { info: general, images: [], networkingInfo: ingressNetwork(object, links) };
  return { info: general, images: imagesOf(podTemplate(object)), networkingInfo: own };
}

function describePod(
  pod: KubeObject,
  general: readonly InfoItem[],
  labels: Readonly<Record<string, string>>,
  links: readonly string[],
): Described {
  const statuses = objectsAt(pod, 'status', 'containerStatuses');
  const containers = objectsAt(pod, 'spec', 'containers');
  const restarts = statuses.reduce(
    (sum, { restartCount }) => sum + (typeof restartCount === 'number' ? restartCount : 0),
    0,
  );
  const reason = podReason(pod, statuses);
  const node = textAt(pod, 'spec', 'nodeName');
  const info = [
    ...general,
    ...(reason === '' ? [] : [{ name: 'Status Reason', value: reason }]),
    ...(node === '' ? [] : [{ name: 'Node', value: node }]),
    ...(containers.length === 0
      ? []
      : [
          {
            name: 'Containers',
            value: `${statuses.filter(({ ready }) => ready === true).length}/${containers.length}`,
          },
        ]),
    ...(restarts > 0 ? [{ name: 'Restart Count', value: String(restarts) }] : []),
  ];
  const networkingInfo = {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(links.length === 0 ? {} : { externalURLs: links }),
  };
  return { info, images: imagesOf(objectAt(pod, 'spec')), networkingInfo };
}

/** The word of `kubectl get pods`. */
function podReason(pod: KubeObject, statuses: readonly JsonObject[]): string {
  const isDeleting = pod.metadata.deletionTimestamp !== undefined;
  if (isDeleting) return 'Terminating';
  const gated = objectsAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated',
  );
  const initial = objectsAt(pod, 'status', 'initContainerStatuses').find(
    ({ state }) =>
      isObject(state) && !(isObject(state.terminated) && state.terminated.exitCode === 0) && !isObject(state.running),
  );
  const waiting = [
    ...(initial === undefined ? [] : [`Init:${stateReason(initial)}`]),
    ...statuses.map(stateReason),
  ].find((reason) => reason !== '' && reason !== 'Init:');
  return gated ? 'SchedulingGated' : (waiting ?? (textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase')));
}

function stateReason(status: JsonObject): string {
  return textAt(status, 'state', 'waiting', 'reason') || textAt(status, 'state', 'terminated', 'reason');
}

function podTemplate(object: KubeObject): JsonObject | undefined {
  return (
    objectAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec') ?? objectAt(object, 'spec', 'template', 'spec')
  );
}

function imagesOf(pod: JsonObject | undefined): string[] {
  if (pod === undefined) return [];
  return [
    ...new Set(
      [...objectsAt(pod, 'initContainers'), ...objectsAt(pod, 'containers')]
        .map((container) => textAt(container, 'image'))
        .filter((image) => image !== ''),
    ),
  ];
}

function serviceNetwork(service: KubeObject, links: readonly string[]): NetworkingInfo {
  const selector = objectAt(service, 'spec', 'selector');
  const balancer =
    textAt(service, 'spec', 'type') === 'LoadBalancer' ? objectsAt(service, 'status', 'loadBalancer', 'ingress') : [];
  return {
    ...(selector === undefined ? {} : { targetLabels: textsIn(selector) }),
    ...(balancer.length === 0 ? {} : { ingress: balancer }),
    ...(links.length === 0 ? {} : { externalURLs: links }),
  };
}

function textsIn(object: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function ingressNetwork(ingress: KubeObject, links: readonly string[]): NetworkingInfo {
  const { namespace = '' } = ingress.metadata;
  const paths = objectsAt(ingress, 'spec', 'rules').flatMap((rule) =>
    objectsAt(rule, 'http', 'paths').map((path) => ({ host: textAt(rule, 'host'), path })),
  );
  const services = new Set(
    [objectAt(ingress, 'spec', 'defaultBackend') ?? {}, ...paths.map(({ path }) => objectAt(path, 'backend') ?? {})]
      .map((backend) => textAt(backend, 'service', 'name'))
      .filter((name) => name !== ''),
  );
  const scheme = objectsAt(ingress, 'spec', 'tls').length > 0 ? 'https' : 'http';
  const balancer = objectsAt(ingress, 'status', 'loadBalancer', 'ingress');
  const fallback =
    balancer.map((each) => textAt(each, 'hostname') || textAt(each, 'ip')).find((host) => host !== '') ?? '';
  const led = paths.flatMap(({ host, path }) =>
    (host || fallback) === '' ? [] : [`${scheme}://${host || fallback}${textAt(path, 'path').replace(/\*$/, '')}`],
  );
  const urls = [...new Set([...links, ...led.filter((url) => addressOfLink(url) === url)])];
  return {
    ...(services.size === 0 ? {} : { targetRefs: [...services].map((name) => ({ kind: 'Service', namespace, name })) }),
    ...(balancer.length === 0 ? {} : { ingress: balancer }),
    ...(urls.length === 0 ? {} : { externalURLs: urls }),
  };
}
