import { type Json, type JsonObject, objectAt, objectsAt, own } from '../../../model/json/index.js';
import { textAt, wordOf } from '../../json/index.js';
import type { Graph } from '../graph.js';
import type { Node } from '../node.js';
import { type HostName, hostNames, hostsIn } from './host-names.js';

/** An address that a container is configured with, and the object that holds it. */
export interface HostSetting extends HostName {
  /** Where the host is written: the object of the container, or a Secret or ConfigMap that it reads. */
  readonly holder: Node;
  /** The reference to the holder in the container's own object; the field itself if that is the holder. */
  readonly reference: string;
  /** Where the port is written, if in a setting of its own. */
  readonly portField?: string;
}

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly holder: Node;
  readonly field: string;
  readonly reference: string;
}

/** Every address in the environment, command and arguments of a container; Secrets and ConfigMaps are followed. */
export function hostSettings(container: JsonObject, path: string, node: Node, graph: Graph): HostSetting[] {
  const settings = settingsOf(container, path, node, graph);
  const direct = hostNames(container, path).map((host) => ({ ...host, holder: node, reference: host.field }));
  const read = settings
    .filter(({ holder }) => holder !== node)
    .flatMap(({ value, holder, field, reference }) =>
      hostsIn(value, field).map((host) => ({ ...host, holder, reference })),
    );
  const paired = pairsOf(settings);
  const isPaired = (host: HostSetting): boolean =>
    paired.some((pair) => pair.field === host.field && pair.holder === host.holder);
  return [...[...direct, ...read].filter((host) => !isPaired(host)), ...paired];
}

const HOST_WORD = /^(.*?)[_.-]?(?:HOST|HOSTNAME|SERVER|ADDR|ADDRESS|SERVICE)$/i;
const NAME = /^([a-z](?:[-a-z0-9]*[a-z0-9])?)(?:\.([a-z0-9](?:[-a-z0-9]*[a-z0-9])?))?(?:\.svc(?:\.[-a-z0-9.]+)?)?$/;

/** `DB_HOST` and `DB_PORT` are one address. */
function pairsOf(settings: readonly Setting[]): HostSetting[] {
  return settings.flatMap((host) => {
    const stem = HOST_WORD.exec(host.name)?.[1] ?? '';
    const [, service = '', namespace = ''] = NAME.exec(host.value) ?? [];
    if (stem === '' || service === '') return [];
    const port = settings.find(
      ({ name, value }) =>
        /^\d{1,5}$/.test(value) && name.startsWith(stem) && /^[_.-]?port$/i.test(name.slice(stem.length)),
    );
    if (port === undefined) return [];
    return [
      {
        service,
        namespace,
        port: Number(port.value),
        text: `${host.value}:${port.value}`,
        field: host.field,
        holder: port.holder,
        reference: port.reference,
        portField: port.field,
      },
    ];
  });
}

function settingsOf(container: JsonObject, path: string, node: Node, graph: Graph): Setting[] {
  const own = objectsAt(container, 'env').flatMap((variable, index): Setting[] => {
    const [name, field] = [textAt(variable, 'name'), `${path}.env[${index}]`];
    const value = textAt(variable, 'value');
    if (value !== '') return [{ name, value, holder: node, field: `${field}.value`, reference: `${field}.value` }];
    for (const [source, kind] of REFERENCES) {
      const reference = objectAt(variable, 'valueFrom', source);
      const key = textAt(reference, 'key');
      const holder = holderOf(kind, textAt(reference, 'name'), node, graph);
      const text = holder === undefined ? '' : valueOf(holder, key);
      if (holder !== undefined && text !== '')
        return [{ name, value: text, holder, field: `data['${key}']`, reference: `${field}.valueFrom.${source}` }];
    }
    return [];
  });
  const taken = new Set(own.map(({ name }) => name));
  return [...own, ...settingsFrom(container, path, node, graph).filter(({ name }) => !taken.has(name))];
}

const REFERENCES = [
  ['secretKeyRef', 'Secret'],
  ['configMapKeyRef', 'ConfigMap'],
] as const;

/** Variables of `envFrom`: the last source of a name wins, and a variable of `env` over all of them. */
function settingsFrom(container: JsonObject, path: string, node: Node, graph: Graph): Setting[] {
  const found = new Map<string, Setting>();
  objectsAt(container, 'envFrom').forEach((source, index) => {
    for (const [name, kind] of [
      ['secretRef', 'Secret'],
      ['configMapRef', 'ConfigMap'],
    ] as const) {
      const holder = holderOf(kind, textAt(source, name, 'name'), node, graph);
      if (holder === undefined) continue;
      for (const [key, value] of valuesOf(holder)) {
        const variable = `${textAt(source, 'prefix')}${key}`;
        const reference = `${path}.envFrom[${index}].${name}`;
        found.set(variable, { name: variable, value, holder, field: `data['${key}']`, reference });
      }
    }
  });
  return [...found.values()];
}

function holderOf(kind: string, name: string, { key }: Node, graph: Graph): Node | undefined {
  const holder = name === '' ? undefined : graph.store.get({ group: '', kind, namespace: key.namespace, name });
  return holder?.object === undefined ? undefined : holder;
}

/** No setting that is an address is longer. */
const MAX_SETTING = 1_000;

function valuesOf({ key, object }: Node): (readonly [string, string])[] {
  const values: Json | undefined =
    key.kind === 'Secret' ? objectAt(object, 'known', 'settings') : objectAt(object, 'data');
  return Object.keys(values ?? {})
    .sort()
    .map((name) => [name, wordOf(own(values ?? {}, name)).trim()] as const)
    .filter(([, value]) => value !== '' && value.length <= MAX_SETTING);
}

function valueOf(holder: Node, name: string): string {
  return valuesOf(holder).find(([key]) => key === name)?.[1] ?? '';
}
