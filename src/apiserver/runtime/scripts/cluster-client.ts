import { writeJson, type Json } from '../../../model/json/index.js';
import { matchesLabels, parseLabelSelector, type KubeObject } from '../../../model/kubernetes/index.js';
import { findByJsonPath, parseJsonPath } from '../../crd/index.js';
import type { LocalClient, ServedResource } from '../../rest/index.js';
import { items, maybe, text, texts } from '../../resources/index.js';
import type { AskAsPod } from '../awaited-object.js';
import type { Play } from './run-script.js';

/** What `kubectl` and `oc` in a simulated container answer: `get` and `wait`, with the rights of the pod's account. */
export interface ClusterClient {
  call(pod: KubeObject, words: readonly string[]): Play<{ text: string; status: number; error?: string }>;
}

const VALUED = new Set(['-n', '--namespace', '-o', '--output', '-l', '--selector', '--for', '--timeout']);
const KNOWN = new Set([...VALUED, '--no-headers', '--ignore-not-found', '-A', '--all-namespaces', '--all']);
const POLL = 1000;
const WAIT_SECONDS = 30;

interface Call {
  readonly verb: string;
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Undefined where the call is none that is played. */
export function readCall(words: readonly string[]): Call | undefined {
  const flags = new Map<string, string>();
  const plain: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    const { name, value } = splitFlag(word);
    if (!KNOWN.has(name)) return undefined;
    flags.set(LONG[name] ?? name, value ?? (VALUED.has(name) ? (rest.shift() ?? '') : ''));
  }
  const [verb = '', ...targets] = plain;
  return (verb === 'get' || verb === 'wait') && targets.length > 0 ? { verb, words: targets, flags } : undefined;
}

const LONG: Readonly<Record<string, string>> = {
  '-n': '--namespace',
  '-o': '--output',
  '-l': '--selector',
  '-A': '--all',
  '--all-namespaces': '--all',
};

/** `--output=name`, `-oname`, or the name alone. */
function splitFlag(word: string): { readonly name: string; readonly value: string | undefined } {
  if (/^-[no]./.test(word)) return { name: word.slice(0, 2), value: word.slice(2).replace(/^=/, '') };
  const at = word.indexOf('=');
  return at < 0 ? { name: word, value: undefined } : { name: word.slice(0, at), value: word.slice(at + 1) };
}

export function clusterClient(client: LocalClient, ask: AskAsPod, now: () => Date): ClusterClient {
  const served = new Map<string, ServedResource>();
  client.onResources((of) => {
    for (const name of [of.plural, of.kind.toLowerCase()])
      for (const key of [name, `${name}.${of.group}`]) if (!served.has(key) || of.group === '') served.set(key, of);
  });
  const find = (name: string): ServedResource | undefined =>
    served.get(name.toLowerCase()) ?? served.get(SHORT[name.toLowerCase()] ?? shortName(client, name) ?? '');
  return {
    *call(pod, words) {
      const call = readCall(words);
      if (call === undefined) return { text: '', status: 1, error: `error: not played: ${words.join(' ')}\n` };
      const asked = new Asked(pod, call, { client, ask, find });
      return call.verb === 'get' ? asked.get() : yield* asked.wait(now);
    },
  };
}

const SHORT: Readonly<Record<string, string>> = {
  po: 'pods',
  svc: 'services',
  deploy: 'deployments',
  sts: 'statefulsets',
  ds: 'daemonsets',
  cm: 'configmaps',
  ns: 'namespaces',
  sa: 'serviceaccounts',
  pvc: 'persistentvolumeclaims',
  is: 'imagestreams',
  istag: 'imagestreamtags',
  bc: 'buildconfigs',
  crd: 'customresourcedefinitions',
};
const CRDS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };

function shortName(client: LocalClient, name: string): string | undefined {
  const crd = client.list(CRDS).find((each) => texts(maybe(each, 'spec.names'), 'shortNames').includes(name));
  return crd && text(maybe(crd, 'spec.names'), 'plural');
}

interface Means {
  readonly client: LocalClient;
  readonly ask: AskAsPod;
  find(name: string): ServedResource | undefined;
}

type Found = { readonly objects: readonly KubeObject[]; readonly errors: readonly string[]; readonly isList: boolean };

class Asked {
  readonly #namespace: string;
  constructor(
    readonly pod: KubeObject,
    readonly call: Call,
    readonly means: Means,
  ) {
    this.#namespace =
      call.flags.has('--all') && call.verb === 'get' ? '' : this.#flag('--namespace', pod.metadata.namespace ?? '');
  }

  #flag(name: string, fallback = ''): string {
    return this.call.flags.get(name) ?? fallback;
  }

  get(): { text: string; status: number; error?: string } {
    const { objects, errors, isList } = this.#find();
    const isQuiet =
      errors.length > 0 &&
      this.call.flags.has('--ignore-not-found') &&
      errors.every((line) => line.includes('(NotFound)'));
    if (errors.length > 0 && !isQuiet) return { text: '', status: 1, error: `${errors.join('\n')}\n` };
    const text = this.#print(objects, isList);
    return objects.length === 0 && text === '' && isList
      ? {
          text: '',
          status: 0,
          error: `No resources found${this.#namespace === '' ? '' : ` in ${this.#namespace} namespace.`}\n`,
        }
      : { text, status: 0 };
  }

  *wait(now: () => Date): Play<{ text: string; status: number; error?: string }> {
    const holds = conditionOf(this.#flag('--for'));
    if (holds === undefined)
      return { text: '', status: 1, error: `error: unrecognized condition: "${this.#flag('--for')}"\n` };
    const end = now().getTime() + waitSeconds(this.#flag('--timeout')) * 1000;
    for (;;) {
      const { objects, errors } = this.#find();
      const isGone = objects.length === 0 && errors.every((line) => line.includes('(NotFound)'));
      if (holds === 'deleted') {
        if (isGone) return { text: '', status: 0 };
      } else if (errors.length > 0 || objects.length === 0)
        return { text: '', status: 1, error: `${errors.join('\n') || 'error: no matching resources found'}\n` };
      else if (objects.every(holds))
        return { text: objects.map((object) => `${this.#name(object)} condition met\n`).join(''), status: 0 };
      const names = objects.map((object) => this.#name(object)).join(', ');
      if (now().getTime() >= end)
        return { text: '', status: 1, error: `error: timed out waiting for the condition on ${names}\n` };
      yield POLL;
    }
  }

  #name({ kind, metadata }: KubeObject): string {
    return `${kind.toLowerCase()}/${metadata.name ?? ''}`;
  }

  /** `TYPE`, `TYPE NAME ...` or `TYPE/NAME ...`. */
  #find(): Found {
    const [first = '', ...names] = this.call.words;
    const pairs = first.includes('/')
      ? this.call.words.map((word) => [word.slice(0, word.indexOf('/')), word.slice(word.indexOf('/') + 1)] as const)
      : names.map((name) => [first, name] as const);
    if (pairs.length > 0) {
      const found = pairs.map(([type, name]) => this.#one(type, name));
      return {
        objects: found.flatMap((each) => (typeof each === 'string' ? [] : [each])),
        errors: found.filter((each) => typeof each === 'string'),
        isList: pairs.length > 1,
      };
    }
    const of = this.means.find(first);
    if (of === undefined) return { objects: [], errors: [unknownType(first)], isList: true };
    const refused = this.means.ask(this.pod, { verb: 'list', ...of, namespace: this.#namespace, name: '' });
    if (refused !== undefined) return { objects: [], errors: [refused], isList: true };
    const selector = this.#flag('--selector');
    const all = this.means.client.list(of, of.namespaced ? this.#namespace : '');
    return {
      objects:
        selector === ''
          ? all
          : all.filter(({ metadata }) => matchesLabels(parseLabelSelector(selector), metadata.labels)),
      errors: [],
      isList: true,
    };
  }

  #one(type: string, name: string): KubeObject | string {
    const of = this.means.find(type);
    if (of === undefined) return unknownType(type);
    const namespace = of.namespaced ? this.#namespace : '';
    const refused = this.means.ask(this.pod, { verb: 'get', ...of, namespace, name });
    if (refused !== undefined) return refused;
    return (
      this.means.client.get(of, namespace, name) ??
      `Error from server (NotFound): ${of.plural}${of.group === '' ? '' : `.${of.group}`} "${name}" not found`
    );
  }

  #print(objects: readonly KubeObject[], isList: boolean): string {
    const output = this.#flag('--output');
    const path = /^jsonpath=(.*)$/s.exec(output)?.[1];
    const whole: Json = isList ? { apiVersion: 'v1', kind: 'List', items: [...objects] } : (objects[0] ?? {});
    if (path !== undefined) return objects.length === 0 && !isList ? '' : printPath(whole, path);
    if (output === 'json') return `${writeJson(whole)}\n`;
    if (output === 'name') return objects.map((object) => `${this.#name(object)}\n`).join('');
    const header = this.call.flags.has('--no-headers') || objects.length === 0 ? '' : 'NAME\n';
    return header + objects.map(({ metadata }) => `${metadata.name ?? ''}\n`).join('');
  }
}

function unknownType(type: string): string {
  return `error: the server doesn't have a resource type ${JSON.stringify(type)}`;
}

/** Text with `{...}` in it; what is not there is printed as nothing. */
function printPath(value: Json, template: string): string {
  const [first = '', ...rest] = template.split('{');
  return (
    first +
    rest
      .map((piece) => {
        const end = piece.indexOf('}');
        if (end < 0) return `{${piece}`;
        return pathText(value, piece.slice(0, end)) + piece.slice(end + 1);
      })
      .join('')
  );
}

function pathText(value: Json, path: string): string {
  if (path.startsWith('"')) return path.slice(1, -1).replaceAll('\\n', '\n');
  return findByJsonPath(value, parseJsonPath(path) ?? [])
    .map((each) => (typeof each === 'string' ? each : writeJson(each)))
    .join(' ');
}

function conditionOf(wish: string): ((object: KubeObject) => boolean) | 'deleted' | undefined {
  if (wish === 'delete') return 'deleted';
  const [, type, wanted = 'true'] = /^condition=([^=]+)(?:=(.*))?$/.exec(wish) ?? [];
  if (type !== undefined)
    return (object) =>
      items(maybe(object, 'status'), 'conditions').some(
        (each) =>
          text(each, 'type').toLowerCase() === type.toLowerCase() &&
          text(each, 'status').toLowerCase() === wanted.toLowerCase(),
      );
  const [, path, value] = /^jsonpath='?\{([^}]*)\}'?(?:=(.*))?$/s.exec(wish) ?? [];
  const steps = path === undefined ? undefined : parseJsonPath(path);
  if (steps === undefined) return undefined;
  return (object) => {
    const found = findByJsonPath(object, steps);
    return value === undefined ? found.length > 0 : found.some((each) => String(each) === value);
  };
}

function waitSeconds(timeout: string): number {
  const [, amount, unit = 's'] = /^(-?\d+)([smh]?)$/.exec(timeout) ?? [];
  if (amount === undefined) return WAIT_SECONDS;
  // A week, as kubectl takes it.
  return Number(amount) < 0 ? 604_800 : Number(amount) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
}
