import { applyMergePatch } from '../../../src/model/patch/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../../../src/model/yaml/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { draw } from '../../fleet/index.js';
import type { ObjectRef } from './label.js';
import { ENVIRONMENT, OUTSIDE, SERVICES } from './names.js';
import { applicationRef, refOf } from './object-refs.js';
import { plainFile } from './plain-applications.js';

/** What is done to the platform, in its order. */
export type SceneStep =
  | { readonly kind: 'apply'; readonly object: KubeObject }
  | { readonly kind: 'patch'; readonly of: ObjectRef; readonly patch: JsonObject; readonly subresource?: string }
  | { readonly kind: 'remove'; readonly of: ObjectRef }
  | { readonly kind: 'commit'; readonly branch?: string; readonly files: ReadonlyMap<string, string | undefined> }
  | { readonly kind: 'play'; readonly seconds: number };

/** Components of the fleet that are web services of one chart, by their domain. */
const CHART_SERVICES = {
  minio: 'data',
  grafana: 'platform',
  plausible: 'apps',
  agents: 'apps',
  graph: 'apps',
  'inference-gateway': 'apps',
  threads: 'apps',
  transformation: 'apps',
} as const;
/** Those of them with a Secret from the store. */
const WITH_SECRET = ['minio', 'grafana', 'plausible', 'agents', 'inference-gateway'];
/** Those whose names have no part of their domain. */
const PLAINLY_NAMED: Readonly<Record<string, string>> = {
  plausible: 'plausible-plausible',
  agents: 'agents',
  graph: 'graph',
  'inference-gateway': 'inference-gateway',
  threads: 'threads',
  transformation: 'transformation',
};

/** A component of one of the fleet's charts. */
export interface ChartService {
  readonly component: string;
  readonly application: string;
  /** Of its Deployment, Service and ConfigMap. */
  readonly name: string;
  readonly valuesFile: string;
}

/** The stage on which an injector does its work: it chooses a place, and notes what is to be done there. */
export class Scene {
  readonly steps: SceneStep[] = [];
  readonly #files: Map<string, string>;
  readonly #pending = new Map<string, string | undefined>();
  readonly #taken: Set<string>;
  readonly #programs: Record<string, string>;

  constructor(
    readonly seed: number,
    readonly fault: string,
    shared: {
      readonly files: Map<string, string>;
      readonly taken: Set<string>;
      readonly programs: Record<string, string>;
    },
  ) {
    this.#files = shared.files;
    this.#taken = shared.taken;
    this.#programs = shared.programs;
  }

  /** One of some, by the seed; never one that another fault of this world has. */
  pick<Item extends string>(items: readonly Item[], why = 'place'): Item {
    const free = items.filter((item) => !this.#taken.has(item));
    const chosen = free[Math.floor(draw(this.seed, this.fault, why) * free.length)];
    if (chosen === undefined) throw new Error(`${this.fault}: no place is left among ${items.join(', ')}`);
    this.#taken.add(chosen);
    return chosen;
  }

  /** So many of them. */
  pickSome<Item extends string>(items: readonly Item[], count: number): Item[] {
    return Array.from({ length: count }, (_, index) => this.pick(items, `place ${index}`));
  }

  /** One of the ordinary applications of plain manifests. */
  service(): string {
    return this.pick(SERVICES);
  }

  chartService(how: { readonly withSecret?: boolean } = {}): ChartService {
    return chartService(
      this.pick(Object.keys(CHART_SERVICES).filter((name) => how.withSecret !== true || WITH_SECRET.includes(name))),
    );
  }

  /** What a file says now. */
  text(path: string): string {
    const text = this.#files.get(path);
    if (text === undefined) throw new Error(`${this.fault}: there is no file ${path}`);
    return text;
  }

  /** Writes a file, or takes it away. */
  file(path: string, text: string | undefined): void {
    this.#pending.set(path, text);
    if (text === undefined) this.#files.delete(path);
    else this.#files.set(path, text);
  }

  filesBelow(folder: string): string[] {
    return [...this.#files.keys()].filter((path) => path.startsWith(folder));
  }

  /** Merges a patch over the YAML of a file; gives the file's path. */
  edit(path: string, patch: JsonObject): string {
    const before = readOneYaml(this.text(path), { dialect: 'kubernetes', file: path });
    this.file(path, writeYaml(applyMergePatch(isObject(before) ? before : {}, patch)));
    return path;
  }

  /** The same for an object of a plain application. */
  plain(application: string, part: string, patch: JsonObject): string {
    return this.edit(plainFile(application, part), patch);
  }

  /** Merges a patch over the first container of a workload of a plain application. */
  container(application: string, part: string, patch: JsonObject): string {
    const path = plainFile(application, part);
    const object = readOneYaml(this.text(path), { dialect: 'kubernetes', file: path });
    const at = (value: Json | undefined, key: string): Json | undefined =>
      isObject(value) ? own(value, key) : undefined;
    const containers = at(at(at(at(object, 'spec'), 'template'), 'spec'), 'containers');
    const [first, ...rest] = isArray(containers) ? containers : [];
    return this.plain(application, part, {
      spec: { template: { spec: { containers: [applyMergePatch(isObject(first) ? first : {}, patch), ...rest] } } },
    });
  }

  /** What was written goes to the repository, on a branch of its own or on main. */
  commit(branch?: string): void {
    if (this.#pending.size > 0)
      this.steps.push({ kind: 'commit', files: new Map(this.#pending), ...(branch === undefined ? {} : { branch }) });
    this.#pending.clear();
  }

  apply(object: KubeObject): ObjectRef {
    this.steps.push({ kind: 'apply', object });
    return refOf(object);
  }

  patch(of: ObjectRef, patch: JsonObject, subresource?: string): void {
    this.steps.push({ kind: 'patch', of, patch, ...(subresource === undefined ? {} : { subresource }) });
  }

  remove(of: ObjectRef): void {
    this.steps.push({ kind: 'remove', of });
  }

  play(seconds: number): void {
    this.commit();
    this.steps.push({ kind: 'play', seconds });
  }

  /**
   * What a program does whose pods have this label `app.kubernetes.io/name`; where told, only with an image, command,
   * argument, limit of memory or probe like this.
   */
  program(name: string, behaviour: JsonObject, onlyWith?: string): void {
    this.#programs[name] = JSON.stringify(behaviour);
    if (onlyWith !== undefined) this.#programs[`${name}.while`] = onlyWith;
    this.steps.push({
      kind: 'patch',
      of: { apiVersion: 'v1', kind: 'ConfigMap', namespace: OUTSIDE, name: 'programs' },
      patch: { data: { ...this.#programs } },
    });
  }

  /** What registries answer; rules as docs/workloads.md has them. */
  images(rules: readonly JsonObject[]): void {
    this.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `images-${this.fault}`.slice(0, 60),
        namespace: OUTSIDE,
        labels: { 'argosy.dev/image-rules': 'true' },
      },
      data: { 'rules.yaml': writeYaml([...rules]) },
    });
  }

  /** What was written and not committed is only what the files say here, not on main. */
  forget(): void {
    this.#pending.clear();
  }

  application(name: string, patch: JsonObject): ObjectRef {
    const of = applicationRef(name);
    this.patch(of, patch);
    return of;
  }
}

export function chartService(component: string): ChartService {
  const domain = Object.entries(CHART_SERVICES).find(([name]) => name === component)?.[1] ?? 'apps';
  return {
    component,
    application: `${ENVIRONMENT.name}-${domain}-${component}`,
    name: PLAINLY_NAMED[component] ?? `${domain}-${component}`,
    valuesFile: `sources/values/_shared/${domain}/${component}.yaml`,
  };
}
