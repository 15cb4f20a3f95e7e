import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  isArray,
  isObject,
  own,
  parseJson,
  writeJson,
  type Json,
  type JsonObject,
} from '../../src/model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import { hasAll, isNamed, isText, type StoryRef, type StorySign } from '../../world/demo/index.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const GROUPS_OF_KUBERNETES = /^$|^apps$|^batch$|^policy$|^autoscaling$|\.k8s\.io$/;

/** What `get` has as STATUS, `describe` has as Status or as Reason of a container. */
const KINDS_WITH_STATUS = new Set(['Pod', 'PersistentVolumeClaim', 'Namespace']);

/** Looks for the signs of a story in what the real kubectl prints: get, describe, get events, logs, apply. */
export class KubectlInspector {
  readonly #cache = mkdtempSync(join(tmpdir(), 'argosy-kubectl-eyes-'));
  readonly #ran = new Map<string, Promise<Ran>>();
  #signs: readonly StorySign[] = [];

  constructor(
    private readonly kubectl: string,
    private readonly kubeconfig: string,
  ) {}

  /** What will be looked for: it is asked for together, because every kubectl costs a start. */
  expect(signs: readonly StorySign[]): void {
    this.#signs = signs;
    this.forget();
  }

  /** What was printed before does not count any more. */
  forget(): void {
    this.#ran.clear();
  }

  close(): void {
    rmSync(this.#cache, { recursive: true, force: true });
  }

  /** True, or what is printed instead. */
  async check(sign: StorySign): Promise<true | string> {
    switch (sign.kind) {
      case 'row':
        return this.#row(sign.of, sign.columns);
      case 'absent':
        return (await this.#rows(sign.of)).length === 0 || 'kubectl get prints it';
      case 'shows':
        return this.#shows(sign.of, sign.shows);
      case 'event':
        return this.#event(sign);
      case 'log':
        return this.#log(sign.of, sign.container, sign.message);
      case 'refused':
        return this.#refused(sign.object, sign.message);
      // Nothing of it is in the cluster.
      case 'git':
        return true;
    }
  }

  async #row(of: StoryRef, columns: Readonly<Record<string, string>>): Promise<true | string> {
    const rows = await this.#rows(of);
    if (!rows.some((row) => Object.entries(columns).every(([head, cell]) => row.get(head) === cell)))
      return `kubectl get: ${rows.map((row) => [...row.values()].join(' | ')).join('\n') || 'nothing'}`;
    const { STATUS: status } = columns;
    if (status === undefined || !KINDS_WITH_STATUS.has(of.kind) || !/^\w+$/.test(status)) return true;
    const described = await this.#described(of);
    return (
      described.some((told) =>
        [...told.matchAll(/^ *(?:Status|Reason): +(\w+)$/gm)].some(([, is = '']) => is === status),
      ) || `kubectl describe: ${described.join('\n')}`
    );
  }

  async #rows(of: StoryRef): Promise<ReadonlyMap<string, string>[]> {
    const { code, out, err } = await this.#run([
      'get',
      this.#beside(of, ['row', 'absent', 'log']),
      ...inNamespace(of),
      '-o',
      'wide',
      '--show-kind',
    ]);
    // Nothing printed means that nothing is there only where nothing went wrong.
    if (code !== 0) throw new Error(`kubectl get: ${err}`);
    const { group } = splitApiVersion(of.apiVersion);
    const before = `${of.kind.toLowerCase()}${group === '' ? '' : '.'}${group}/`;
    return out
      .split('\n\n')
      .flatMap(tableOf)
      .filter((row) => {
        const name = row.get('NAME') ?? '';
        return name.startsWith(before) && isNamed(of, name.slice(before.length));
      });
  }

  /** All kinds of the same namespace that such signs are about, as one argument. */
  #beside(of: StoryRef, kinds: readonly StorySign['kind'][]): string {
    const refs = this.#signs.flatMap((sign) =>
      kinds.includes(sign.kind) && 'of' in sign && sign.of.namespace === of.namespace ? [sign.of] : [],
    );
    return [...new Set([...refs, of].map(resource))].sort().join(',');
  }

  async #shows(of: StoryRef, shows: JsonObject): Promise<true | string> {
    const { out, err } = await this.#run([
      'get',
      this.#beside(of, ['shows']),
      ...inNamespace(of),
      '-o',
      'json',
      '--show-managed-fields',
    ]);
    if (out === '') return `kubectl get: ${err}`;
    const { items } = parseJson(out) as { readonly items?: readonly KubeObject[] };
    const found = (items ?? []).filter(
      ({ apiVersion, kind, metadata }) =>
        apiVersion === of.apiVersion && kind === of.kind && isNamed(of, metadata.name ?? ''),
    );
    if (!found.some((object) => hasAll(object, shows)))
      return `kubectl get: ${found.length} of that name, and none shows it`;
    // Of its own kinds describe tells a choice, of all others every field.
    const words = GROUPS_OF_KUBERNETES.test(splitApiVersion(of.apiVersion).group) ? [] : wordsOf(shows);
    if (words.length === 0) return true;
    const described = await this.#described(of);
    return (
      described.some((told) => words.every((word) => told.includes(word))) ||
      `kubectl describe: ${described.join('\n')}`
    );
  }

  async #event({ of, type, reason, message }: Extract<StorySign, { kind: 'event' }>): Promise<true | string> {
    const { out } = await this.#run(['get', 'events', '-n', of.namespace ?? 'default']);
    const [first = '', ...others] = message.split('\n');
    // A row has one line.
    const short = others.length === 0 ? first : `${first}...`;
    const isOf = (object: string): boolean =>
      object.startsWith(`${of.kind.toLowerCase()}/`) && isNamed(of, object.slice(of.kind.length + 1));
    const rows = tableOf(out).filter((row) => isOf(row.get('OBJECT') ?? ''));
    if (
      !rows.some(
        (row) => row.get('TYPE') === type && row.get('REASON') === reason && isText(short, row.get('MESSAGE') ?? ''),
      )
    )
      return `kubectl get events: ${rows.map((row) => [...row.values()].join(' | ')).join('\n') || 'nothing'}`;
    const described = await this.#described(of);
    const isTold = (told: string): boolean =>
      told
        .split('\n')
        .map((line) => line.trim().split(/\s{2,}/))
        .some(
          ([ofType, ofReason, , , ...words]) =>
            ofType === type && ofReason === reason && isText(first, words.join('  ')),
        );
    return (
      described.some((told) => isTold(told) && others.every((line) => told.includes(line))) ||
      `kubectl describe: ${described.join('\n')}`
    );
  }

  async #log(of: StoryRef, container: string, message: string): Promise<true | string> {
    const names = (await this.#rows(of)).map((row) => row.get('NAME') ?? '');
    const logs = await Promise.all(names.map((name) => this.#run(['logs', name, ...inNamespace(of), '-c', container])));
    return (
      logs.some(({ out }) => out.includes(message)) ||
      `kubectl logs: ${logs.map(({ out, err }) => `${out}${err}`).join('\n')}`
    );
  }

  async #refused(object: KubeObject, message: string): Promise<true | string> {
    const { code, out, err } = await this.#run(
      ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'],
      writeJson(object),
    );
    return (code !== 0 && err.includes(message)) || `kubectl apply: ${out}${err}`;
  }

  /**
   * Of each object of that name. All of the kind are asked for at once, because other signs may be about its
   * neighbours.
   */
  async #described(of: StoryRef): Promise<readonly string[]> {
    const { out } = await this.#run(['describe', resource(of), ...inNamespace(of)]);
    return out.split(/\n\n\n(?=Name:)/).filter((told) => isNamed(of, /^Name:\s+(\S+)/.exec(told)?.[1] ?? ''));
  }

  #run(args: readonly string[], stdin = ''): Promise<Ran> {
    const key = JSON.stringify([args, stdin]);
    const known = this.#ran.get(key) ?? this.#spawn(args, stdin);
    this.#ran.set(key, known);
    return known;
  }

  async #spawn(args: readonly string[], stdin: string): Promise<Ran> {
    // It lives for a moment only, and need not tidy up.
    const child = spawn(this.kubectl, [...args, '--kubeconfig', this.kubeconfig, '--cache-dir', this.#cache], {
      env: { GOGC: 'off', GOMAXPROCS: '2' },
    });
    child.stdin.end(stdin);
    const code = new Promise<number>((resolve, reject) =>
      child.on('error', reject).on('close', (status) => {
        resolve(status ?? 1);
      }),
    );
    const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), code]);
    return { code: status, out, err };
  }
}

/** As kubectl takes a kind with its version and group. */
function resource({ apiVersion, kind }: StoryRef): string {
  const { group, version } = splitApiVersion(apiVersion);
  return `${kind.toLowerCase()}.${version}.${group}`;
}

function inNamespace({ namespace }: StoryRef): readonly string[] {
  return namespace === undefined ? [] : ['-n', namespace];
}

/** The rows of a table as people read it: cells stand below the heads of their columns. */
function tableOf(printed: string): ReadonlyMap<string, string>[] {
  const [heads = '', ...lines] = printed.split('\n').filter((line) => line !== '');
  const columns = [...heads.matchAll(/\S+(?: \S+)*/g)].map(({ 0: head, index }) => ({ head, index }));
  return lines.map(
    (line) => new Map(columns.map(({ head, index }, at) => [head, line.slice(index, columns[at + 1]?.index).trim()])),
  );
}

/** What describe must say of an object: the texts of its spec and status, whatever is around them. */
function wordsOf(shows: JsonObject): readonly string[] {
  return ['spec', 'status'].flatMap((part) => textsOf(own(shows, part)));
}

function textsOf(value: Json | undefined): readonly string[] {
  if (isArray(value)) return value.flatMap(textsOf);
  if (isObject(value)) return Object.values(value).flatMap(textsOf);
  return typeof value === 'string' ? [value.replace(/^\*/, '')] : [];
}
