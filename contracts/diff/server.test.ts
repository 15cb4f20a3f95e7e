import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compare, compileRules, confirm, LAST_APPLIED } from '../../src/diff/index.js';
import { equal, parseJson, writeJson, type Json } from '../../src/model/json/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import { IS_WHOLE } from '../harness/sizes.js';
import { chosenServers, type Server } from '../apiserver/servers.js';
import { mutations, type Mutation } from './mutate.js';

const OBJECTS = readYaml(readFileSync(join(import.meta.dirname, 'manifests.yaml'), 'utf8'), {
  dialect: 'kubernetes',
}).map(({ value }) => value as unknown as KubeObject);
const PLURALS: Readonly<Record<string, string>> = { Ingress: 'ingresses', NetworkPolicy: 'networkpolicies' };
const RULES = compileRules();
/** One of so many changes. */
const EVERY = IS_WHOLE ? 1 : 3;
/** A default that the server derives from other fields: without a dry run of the take-over nobody can know it. */
const DERIVED = 'without spec.policyTypes';

function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  const { group } = splitApiVersion(apiVersion);
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return `${group === '' ? '/api' : '/apis'}/${apiVersion}/namespaces/default/${plural}/${metadata.name ?? ''}`;
}

async function apply({ connection }: Server, object: KubeObject, dryRun: boolean): Promise<KubeObject | undefined> {
  const path = `${pathOf(object)}?fieldManager=argosy&force=true${dryRun ? '&dryRun=All' : ''}`;
  const { code, text } = await connection.send({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: writeJson(object),
  });
  if (code >= 300 && !dryRun) throw new Error(text);
  // The API server answers some malformed values with 500; a change that it refuses has no result to compare.
  return code < 300 ? (parseJson(text) as unknown as KubeObject) : undefined;
}

/** What a person would call the object. */
function essence({ metadata, ...rest }: KubeObject): Json {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

/** The object as kubectl creates it, client-side. */
async function create({ connection }: Server, object: KubeObject): Promise<KubeObject> {
  const annotations = { ...object.metadata.annotations, [LAST_APPLIED]: `${writeJson(object)}\n` };
  const path = `${pathOf(object).replace(/\/[^/]*$/, '')}?fieldManager=kubectl-client-side-apply`;
  const { code, text } = await connection.send({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: writeJson({ ...object, metadata: { ...object.metadata, annotations } }),
  });
  if (code >= 300) throw new Error(text);
  return parseJson(text) as unknown as KubeObject;
}

/** Moves what kubectl owns to us, as happens before our first apply. */
async function takeOver({ connection }: Server, live: KubeObject): Promise<KubeObject> {
  const entries = (live.metadata.managedFields ?? []).map((entry) => ({
    ...entry,
    manager: 'argosy',
    operation: 'Apply',
  }));
  const body = writeJson([{ op: 'replace', path: '/metadata/managedFields', value: entries }]);
  const { code, text } = await connection.send({
    method: 'PATCH',
    path: pathOf(live),
    headers: { 'content-type': 'application/json-patch+json' },
    body,
  });
  if (code >= 300) throw new Error(text);
  return parseJson(text) as unknown as KubeObject;
}

/** Small objects are changed in every way, so that each run proves something about each kind. */
function sampled(object: KubeObject): Mutation[] {
  const all = mutations(object);
  return all.length < 30 ? all : all.filter((_mutation, index) => index % EVERY === 0);
}

function named(object: KubeObject, name: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, name } };
}

/** Without the annotation, which a take-over removes and nobody compares. */
function applied(object: KubeObject): Json {
  const { annotations, ...metadata } = object.metadata;
  const { [LAST_APPLIED]: _text, ...rest } = annotations ?? {};
  return essence({
    ...object,
    metadata: Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest },
  });
}

describe.each(chosenServers())('diff against the API server: $name', ({ missing, open }) => {
  let server: Server | string;

  beforeAll(async () => {
    server = (await missing()) ?? (await open());
  });
  afterAll(async () => {
    if (typeof server !== 'string') await server.stop();
  });

  it.each(OBJECTS.map((object) => [object.kind, object] as const))(
    'a fresh %s is quiet, and every change that the server would make is seen',
    async (_kind, object, context?: { skip(reason: string): void }) => {
      if (typeof server === 'string') return context?.skip(server);
      const live = await apply(server, object, false);
      const again = await apply(server, object, true);
      expect(live !== undefined && again !== undefined && confirm(object, live, again, RULES)).toEqual([]);
      const wrong: string[] = [];
      let asked = 0;
      for (const { text, target } of sampled(object)) {
        const predicted = await apply(server, target, true);
        if (predicted === undefined || live === undefined) continue;
        asked++;
        const changes = !equal(essence(predicted), essence(live));
        const [found, confirmed] = [compare(target, live, RULES), confirm(target, live, predicted, RULES)];
        if (changes && found.length === 0) wrong.push(`not seen: ${text}`);
        if (changes !== confirmed.length > 0)
          wrong.push(
            `${changes ? 'not confirmed' : 'confirmed without a change'}: ${text}: ` +
              writeJson(confirmed as unknown as Json),
          );
      }
      expect(wrong).toEqual([]);
      // An object of which the server refuses every change would prove nothing.
      expect(asked).toBeGreaterThan(2);
    },
  );

  it.each(OBJECTS.map((object) => [object.kind, object] as const))(
    'of a %s that kubectl applied, every change that our take-over would make is seen',
    async (_kind, object, context?: { skip(reason: string): void }) => {
      if (typeof server === 'string') return context?.skip(server);
      const live = await create(server, named(object, 'by-hand'));
      const twin = await takeOver(server, await create(server, named(object, 'twin')));
      const wrong: string[] = [];
      for (const { text, target } of sampled(object)) {
        const mine = named(target, 'by-hand');
        const [predicted, truth] = [await apply(server, mine, true), await apply(server, named(target, 'twin'), true)];
        if (predicted === undefined || truth === undefined) continue;
        const changes = !equal(applied(truth), applied(twin));
        const [found, confirmed] = [compare(mine, live, RULES), confirm(mine, live, predicted, RULES)];
        if (changes && (found.length === 0 || confirmed.length === 0)) wrong.push(`not seen: ${text}`);
        if (!changes && confirmed.length > 0 && text !== DERIVED)
          wrong.push(`confirmed without a change: ${text}: ${writeJson(confirmed as unknown as Json)}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});
