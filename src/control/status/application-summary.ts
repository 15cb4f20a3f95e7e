import { addressOfLink } from '../../model/formats/index.js';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ManagedResource } from '../comparison/index.js';

const LINK = 'link.argocd.argoproj.io/';
const NO_DEFAULT_LINKS = 'argocd.argoproj.io/ignore-default-links';

/** Images of all workloads, and the external URLs of the application. */
export function summaryOf(resources: readonly ManagedResource[]): JsonObject {
  const images = new Set<string>();
  const urls = new Set<string>();
  let isAppOfApps = false;
  for (const { live, target } of resources) {
    const object = live ?? target;
    if (object === undefined) continue;
    if (object.kind === 'Application' && object.apiVersion.startsWith('argoproj.io/')) isAppOfApps = true;
    collectImages(object, images);
    for (const url of urlsOf(object)) if (addressOfLink(url) === url) urls.add(url);
  }
  return {
    ...(images.size === 0 ? {} : { images: [...images].sort() }),
    ...(urls.size === 0 ? {} : { externalURLs: [...urls].sort() }),
    ...(isAppOfApps ? { isAppOfApps } : {}),
  };
}

/** Images of workloads. */
export function imagesOf(objects: readonly KubeObject[]): string[] {
  const images = new Set<string>();
  for (const object of objects) collectImages(object, images);
  return [...images].sort();
}

function collectImages(object: KubeObject, images: Set<string>): void {
  const { spec } = object;
  if (!isObject(spec)) return;
  const pod = object.kind === 'Pod' ? spec : podTemplateSpec(spec);
  if (pod === undefined) return;
  for (const list of [pod.containers, pod.initContainers]) {
    for (const container of objectsOf(list)) if (typeof container.image === 'string') images.add(container.image);
  }
}

function podTemplateSpec({ jobTemplate, template: own }: JsonObject): JsonObject | undefined {
  const template = isObject(jobTemplate) && isObject(jobTemplate.spec) ? jobTemplate.spec.template : own;
  return isObject(template) && isObject(template.spec) ? template.spec : undefined;
}

/** Link annotations, and the URLs of an Ingress unless default links are ignored. */
function urlsOf(object: KubeObject): string[] {
  const annotations = object.metadata.annotations ?? {};
  const links = Object.entries(annotations)
    .filter(([key]) => key.startsWith(LINK))
    .flatMap(([, value]) => addressOfLink(value) ?? []);
  const isIngress = object.kind === 'Ingress' && /^(networking\.k8s\.io|extensions)\//.test(object.apiVersion);
  return isIngress && !/^(1|t|true)$/i.test(annotations[NO_DEFAULT_LINKS] ?? '')
    ? [...links, ...ingressUrls(object)]
    : links;
}

/** One for each path of each rule; a rule without a host uses the address of the load balancer. */
function ingressUrls({ spec, status }: KubeObject): string[] {
  if (!isObject(spec)) return [];
  const scheme = objectsOf(spec.tls).some(({ secretName, hosts }) => secretName !== undefined || isArray(hosts))
    ? 'https'
    : 'http';
  return objectsOf(spec.rules).flatMap(({ host, http }) => {
    const where = typeof host === 'string' && host !== '' ? host : balancerOf(status);
    if (where === undefined || !isObject(http)) return [];
    return objectsOf(http.paths).map(
      ({ path }) => `${scheme}://${where}${typeof path === 'string' ? path.replace(/\*$/, '') : ''}`,
    );
  });
}

function balancerOf(status: Json | undefined): string | undefined {
  const balancer = isObject(status) && isObject(status.loadBalancer) ? status.loadBalancer : {};
  return objectsOf(balancer.ingress)
    .map(({ hostname, ip }) => (typeof hostname === 'string' && hostname !== '' ? hostname : ip))
    .find((each) => typeof each === 'string' && each !== '') as string | undefined;
}

function objectsOf(list: Json | undefined): JsonObject[] {
  return isArray(list) ? list.filter(isObject) : [];
}
