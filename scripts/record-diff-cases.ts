/**
 * Writes the case folders of src/diff from contracts/diff/scenarios.yaml: what git says, what a real kube-apiserver
 * made of it (with its true managedFields) and what it predicts for our apply. `npx tsx scripts/record-diff-cases.ts`;
 * what is expected stays as written.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { clone, isObject, parseJson, writeJson, type Json, type JsonObject } from '../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../src/model/yaml/index.js';
import { splitApiVersion, type KubeObject } from '../src/model/kubernetes/index.js';
import { startRealControlPlane, type ControlPlane } from '../contracts/real/control-plane.js';

interface ScenarioStep {
  readonly manager: string;
  readonly type: 'merge' | 'strategic' | 'json' | 'apply';
  readonly subresource?: string;
  readonly body: Json;
}

interface Scenario {
  readonly name: string;
  /** Who applied it first: kubectl and argocd-client by POST with the annotation, the others by server-side apply. */
  readonly by: 'kubectl' | 'argocd-client' | 'argocd-server' | 'argosy';
  readonly first: KubeObject;
  readonly then?: readonly ScenarioStep[];
  readonly target?: KubeObject;
  readonly rules?: JsonObject;
  /** Changes to what was recorded, for what no API server would store any more. */
  readonly without?: 'managedFields';
}

const CASES = join(import.meta.dirname, '../src/diff/cases');
const NAMESPACE = 'shop';
const PATCHES = {
  merge: 'merge-patch',
  strategic: 'strategic-merge-patch',
  json: 'json-patch',
  apply: 'apply-patch',
} as const;

class Recorder {
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false } });
  readonly #resources = new Map<string, { plural: string; namespaced: boolean }>();

  constructor(readonly plane: ControlPlane) {}

  async call(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: Json,
    contentType = 'application/json',
  ): Promise<JsonObject> {
    const answer = await request(`${this.plane.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.plane.adminToken}`, 'content-type': contentType },
      ...(body === undefined ? {} : { body: writeJson(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${text}`);
    const value = parseJson(text);
    return isObject(value) ? value : {};
  }

  async pathOf(object: KubeObject, namespace: string): Promise<string> {
    const { group } = splitApiVersion(object.apiVersion);
    const base = group === '' ? `/api/${object.apiVersion}` : `/apis/${object.apiVersion}`;
    const key = `${base}/${object.kind}`;
    if (!this.#resources.has(key)) {
      const { resources } = await this.call('GET', base);
      for (const resource of Array.isArray(resources) ? resources : []) {
        if (!isObject(resource) || typeof resource.name !== 'string' || resource.name.includes('/')) continue;
        this.#resources.set(`${base}/${String(resource.kind)}`, {
          plural: resource.name,
          namespaced: resource.namespaced === true,
        });
      }
    }
    const found = this.#resources.get(key);
    if (found === undefined) throw new Error(`no resource for ${key}`);
    return found.namespaced ? `${base}/namespaces/${namespace}/${found.plural}` : `${base}/${found.plural}`;
  }

  async apply(object: KubeObject, namespace: string, manager: string, dryRun = false): Promise<JsonObject> {
    const path =
      `${await this.pathOf(object, namespace)}/${object.metadata.name ?? ''}?fieldManager=` +
      `${manager}&force=true${dryRun ? '&dryRun=All' : ''}`;
    return this.call('PATCH', path, object, 'application/apply-patch+yaml');
  }

  async create(object: KubeObject, namespace: string, manager: string): Promise<void> {
    const copy = clone(object);
    const annotations = {
      ...copy.metadata.annotations,
      'kubectl.kubernetes.io/last-applied-configuration': `${writeJson(object)}\n`,
    };
    await this.call('POST', `${await this.pathOf(object, namespace)}?fieldManager=${manager}`, {
      ...copy,
      metadata: { ...copy.metadata, annotations },
    });
  }

  async patch(
    object: KubeObject,
    namespace: string,
    { manager, type, subresource, body }: ScenarioStep,
  ): Promise<void> {
    const path =
      `${await this.pathOf(object, namespace)}/${object.metadata.name ?? ''}` +
      (subresource === undefined ? '' : `/${subresource}`);
    await this.call(
      'PATCH',
      `${path}?fieldManager=${manager}${type === 'apply' ? '&force=true' : ''}`,
      body,
      `application/${PATCHES[type]}+${type === 'apply' ? 'yaml' : 'json'}`,
    );
  }
}

const MANAGERS = {
  kubectl: 'kubectl-client-side-apply',
  'argocd-client': 'argocd-controller',
  'argocd-server': 'argocd-controller',
  argosy: 'argosy',
} as const;

function placed(object: KubeObject, namespace: string): KubeObject {
  return object.metadata.namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
}

/** Times become a fixed sequence, and what names this server goes. */
function normalized(object: JsonObject, namespace: string): JsonObject {
  const text = writeJson(object).replaceAll(namespace, NAMESPACE);
  const times = [...new Set(text.match(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g) ?? [])].sort();
  const value = parseJson(
    text.replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => `2026-01-01T00:00:0${times.indexOf(time)}Z`),
  );
  if (!isObject(value) || !isObject(value.metadata)) return {};
  const { uid: _uid, resourceVersion: _version, ...metadata } = value.metadata;
  return { ...value, metadata: { ...metadata, resourceVersion: '1', uid: '00000000-0000-0000-0000-000000000001' } };
}

async function record(): Promise<void> {
  const scenarios = readScenarios();
  const plane = await startRealControlPlane({ etcdFsync: false });
  try {
    const recorder = new Recorder(plane);
    await installCrds(recorder);
    const spaces = scenarios.map((_scenario, index) => `case-${index}-`);
    for (const name of spaces)
      await recorder.call('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: `${name}x` },
      });
    for (const [index, { by, first }] of scenarios.entries()) {
      const namespace = `${spaces[index] ?? ''}x`;
      const object = placed(first, namespace);
      await (by === 'argosy' || by === 'argocd-server'
        ? recorder.apply(object, namespace, MANAGERS[by])
        : recorder.create(object, namespace, MANAGERS[by]));
    }
    const most = Math.max(...scenarios.map(({ then = [] }) => then.length));
    for (let round = 0; round < most; round++) {
      // Owners carry times in seconds: each round must have its own.
      await delay(1_100);
      for (const [index, { first, then = [] }] of scenarios.entries()) {
        const namespace = `${spaces[index] ?? ''}x`;
        const step = then[round];
        if (step !== undefined) await recorder.patch(placed(first, namespace), namespace, step);
      }
    }
    for (const [index, scenario] of scenarios.entries()) await write(recorder, scenario, `${spaces[index] ?? ''}x`);
  } finally {
    await plane.stop();
  }
}

async function write(
  recorder: Recorder,
  { name, first, target = first, rules, without }: Scenario,
  namespace: string,
): Promise<void> {
  const folder = join(CASES, name);
  mkdirSync(folder, { recursive: true });
  const path = `${await recorder.pathOf(first, namespace)}/${first.metadata.name ?? ''}`;
  const live = normalized(await recorder.call('GET', path), namespace);
  if (without === 'managedFields' && isObject(live.metadata)) delete live.metadata.managedFields;
  writeFileSync(join(folder, 'target.yaml'), writeYaml(target));
  writeFileSync(join(folder, 'live.yaml'), writeYaml(live));
  if (rules !== undefined) writeFileSync(join(folder, 'rules.yaml'), writeYaml(rules));
  try {
    const predicted = normalized(await recorder.apply(placed(target, namespace), namespace, 'argosy', true), namespace);
    writeFileSync(join(folder, 'predicted.yaml'), writeYaml(predicted));
  } catch (error) {
    console.log(`no prediction for ${name}: ${error instanceof Error ? error.message.slice(0, 300) : ''}`);
  }
  if (!existsSync(join(folder, 'expect.yaml'))) console.log(`new case: ${name}`);
}

function readScenarios(): Scenario[] {
  const value = readOneYaml(readFileSync(join(import.meta.dirname, '../contracts/diff/scenarios.yaml'), 'utf8'), {
    dialect: 'kubernetes',
  });
  return (isObject(value) && Array.isArray(value.scenarios) ? value.scenarios : []) as unknown as Scenario[];
}

async function installCrds(recorder: Recorder): Promise<void> {
  const kinds = [
    ['route.openshift.io', 'Route'],
    ['docling.io', 'DoclingServe'],
    ['networking.istio.io', 'Gateway'],
    ['argoproj.io', 'Rollout'],
    ['example.org', 'Widget'],
    ['datasciencecluster.opendatahub.io', 'DataScienceCluster'],
  ];
  for (const [group = '', kind = ''] of kinds) {
    const plural = `${kind.toLowerCase()}s`;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await recorder.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
  }
  for (const [group = '', kind = ''] of kinds) {
    for (let tries = 0; ; tries++) {
      const known = await recorder
        .pathOf({ apiVersion: `${group}/v1`, kind, metadata: {} }, 'x')
        .catch((error: unknown) => error);
      if (typeof known === 'string') break;
      if (tries > 100) throw known;
      await delay(100);
    }
  }
}

await record();
