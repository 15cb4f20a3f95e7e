import { own, type JsonObject } from '../../../model/json/index.js';
import { quantityToNumber, parseQuantity, type KubeObject } from '../../../model/kubernetes/index.js';
import type { LocalClient } from '../../rest/index.js';
import { items, maybe, pairs, text, texts } from '../../resources/index.js';

/** What a container is started with. */
export interface Environment {
  readonly values: ReadonlyMap<string, string>;
  /** What `$(NAME)` may stand for: what the pod declares and the variables of services, not what an image brings. */
  readonly named: ReadonlyMap<string, string>;
  /** Names whose value comes from a Secret. */
  readonly secrets: ReadonlySet<string>;
}

/** Variables that no pod has to declare. */
export interface GivenVariables {
  readonly image: ReadonlyMap<string, string>;
  readonly services: ReadonlyMap<string, string>;
}

/** Addresses that a pod has before its status says so. */
export interface PodPlace {
  readonly podIp: string;
  readonly hostIp: string;
}

/**
 * The variables of a container, in the kubelet's order: sources first, then single ones, which may refer to earlier
 * ones.
 */
export function containerEnvironment(
  client: LocalClient,
  pod: KubeObject,
  container: JsonObject,
  place: PodPlace,
  { image, services }: GivenVariables,
): Environment {
  const named = new Map(services);
  const secrets = new Set<string>();
  const set = (name: string, value: string, isSecret: boolean): void => {
    named.set(name, value);
    if (isSecret) secrets.add(name);
    else secrets.delete(name);
  };
  for (const source of items(container, 'envFrom')) {
    for (const [field, plural] of [
      ['configMapRef', 'configmaps'],
      ['secretRef', 'secrets'],
    ] as const) {
      const reference = maybe(source, field);
      const object =
        reference && client.get({ group: '', plural }, pod.metadata.namespace ?? '', text(reference, 'name'));
      for (const key of Object.keys(maybe(object, 'data') ?? {}))
        set(text(source, 'prefix') + key, dataText(object, key) ?? '', plural === 'secrets');
    }
  }
  for (const variable of items(container, 'env')) {
    const written = text(variable, 'value');
    const from = written === '' ? maybe(variable, 'valueFrom') : undefined;
    const value = from ? referredValue(client, pod, container, place, from) : expand(written, named);
    if (value !== undefined) set(text(variable, 'name'), value, maybe(from, 'secretKeyRef') !== undefined);
  }
  return { values: new Map([...image, ...named]), named, secrets };
}

/**
 * `$(NAME)` becomes the value of NAME where there is one, and stays where there is none; `$$` is one dollar. A name
 * goes up to the next `)`.
 */
export function expand(value: string, named: ReadonlyMap<string, string>, missing?: (name: string) => void): string {
  let [result, done] = ['', 0];
  for (let at = value.indexOf('$'); at >= 0 && at + 1 < value.length; at = value.indexOf('$', done)) {
    const close = value[at + 1] === '(' ? value.indexOf(')', at) : -1;
    result += value.slice(done, at);
    if (close < 0) {
      result += value[at + 1] === '$' ? '$' : value.slice(at, at + 2);
      done = at + 2;
      continue;
    }
    const name = value.slice(at + 2, close);
    const known = named.get(name);
    if (known === undefined || known === '') missing?.(name);
    result += known ?? value.slice(at, close + 1);
    done = close + 1;
  }
  return result + value.slice(done);
}

/** Keys of a Secret or ConfigMap. */
export function dataKeys(object: KubeObject | undefined): string[] {
  return object ? ['data', 'binaryData'].flatMap((part) => Object.keys(maybe(object, part) ?? {})) : [];
}

/** Variables are texts: what a ConfigMap has as bytes is only for files. */
function dataText(object: KubeObject | undefined, key: string): string | undefined {
  return own(maybe(object, 'data') ?? {}, key) === undefined ? undefined : dataBytes(object, key)?.toString('utf8');
}

/** The value of a key of a Secret (always base64) or ConfigMap (base64 in binaryData). */
export function dataBytes(object: KubeObject | undefined, key: string): Buffer | undefined {
  if (!object) return undefined;
  const [plain, binary] = [own(maybe(object, 'data') ?? {}, key), own(maybe(object, 'binaryData') ?? {}, key)];
  if (typeof binary === 'string') return Buffer.from(binary, 'base64');
  if (typeof plain !== 'string') return undefined;
  return object.kind === 'Secret' ? Buffer.from(plain, 'base64') : Buffer.from(plain, 'utf8');
}

function referredValue(
  client: LocalClient,
  pod: KubeObject,
  container: JsonObject,
  place: PodPlace,
  from: JsonObject,
): string | undefined {
  for (const [field, plural] of [
    ['configMapKeyRef', 'configmaps'],
    ['secretKeyRef', 'secrets'],
  ] as const) {
    const reference = maybe(from, field);
    if (reference)
      return dataText(
        client.get({ group: '', plural }, pod.metadata.namespace ?? '', text(reference, 'name')),
        text(reference, 'key'),
      );
  }
  const resource = maybe(from, 'resourceFieldRef');
  if (resource) return resourceValue(container, text(resource, 'resource'), text(resource, 'divisor'));
  return fieldValue(pod, place, text(maybe(from, 'fieldRef'), 'fieldPath'));
}

/** A field of the pod, as downward API and environment may ask for it. */
export function fieldValue(pod: KubeObject, place: PodPlace, path: string): string {
  const { metadata } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed) return (keyed[1] === 'labels' ? metadata.labels : metadata.annotations)?.[keyed[2] ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
    case 'metadata.annotations':
      return pairs(maybe(pod, 'metadata'), path.slice('metadata.'.length))
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join('\n');
    case 'spec.nodeName':
      return text(maybe(pod, 'spec'), 'nodeName');
    case 'spec.serviceAccountName':
      return text(maybe(pod, 'spec'), 'serviceAccountName');
    case 'status.hostIP':
    case 'status.hostIPs':
      return place.hostIp;
    case 'status.podIP':
    case 'status.podIPs':
      return place.podIp;
    default:
      return '';
  }
}

function resourceValue(container: JsonObject, resource: string, divisor: string): string {
  const [part = '', name = ''] = resource.split('.');
  const quantity = text(maybe(container, `resources.${part}`), name);
  if (quantity === '') return '0';
  const divided =
    quantityToNumber(parseQuantity(quantity)) /
    (divisor === '' || divisor === '0' ? 1 : quantityToNumber(parseQuantity(divisor)));
  return String(Math.ceil(divided));
}

/** What the container runs: its own command or the image's program, with arguments, variables filled in. */
export function containerCommand(
  container: JsonObject,
  program: readonly string[],
  named: ReadonlyMap<string, string>,
): string[] {
  const command = texts(container, 'command');
  return [...(command.length > 0 ? command : program), ...texts(container, 'args')].map((word, index) =>
    index < program.length && command.length === 0 ? word : expand(word, named),
  );
}
