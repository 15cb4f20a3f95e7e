import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import { SYSTEM_USER, type User } from '../access/user.js';
import { ApiError } from '../errors/api-error.js';
import { bootstrap } from '../bootstrap.js';
import { openMemoryCluster, type MemoryCluster } from '../testing/memory-cluster.js';
import { RESOURCE_QUOTA } from '../controllers/resource-quota.js';
import { text } from '../resources/fields.js';
import type { Call } from '../rest/context.js';
import { create } from '../rest/create.js';
import { update } from '../rest/update.js';

/**
 * Each case was played on a real kube-apiserver 1.34.4 with its default plugins: `given.yaml` as administrator, then
 * each document of `send.yaml` (`as` whom, `how`: create, replace or status). `expect.json` is what came back: the
 * object, or code and message, and the warnings. Where `controllers` is a word of the case's name, the real
 * kube-controller-manager ran beside it.
 */
const CASES = join(import.meta.dirname, 'cases');

function documents(file: string): JsonObject[] {
  if (!existsSync(file)) return [];
  return readYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file, duplicates: 'error' })
    .map(({ value }) => value)
    .filter(isObject);
}

function userOf(name: string): User {
  return name === '' ? SYSTEM_USER : { name, groups: ['system:authenticated'] };
}

interface Sent {
  readonly as: string;
  readonly how: string;
  readonly dryRun: boolean;
  readonly object: KubeObject;
}

function parseSent(value: JsonObject): Sent {
  return {
    as: text(value, 'as'),
    how: text(value, 'how') || 'create',
    dryRun: value.dryRun === true,
    object: value.object as KubeObject,
  };
}

async function send({ context }: MemoryCluster, sent: Sent): Promise<Json> {
  const { group, version } = splitApiVersion(sent.object.apiVersion);
  const type = context.types.byKind(group, version, sent.object.kind);
  if (!type) throw new Error(`no such kind is served: ${sent.object.apiVersion} ${sent.object.kind}`);
  const { object } = type.decode(clone(sent.object));
  const namespace = type.namespaced ? (object.metadata.namespace ?? 'shop') : '';
  if (type.namespaced) object.metadata.namespace = namespace;
  const warnings: string[] = [];
  const call: Call = {
    type,
    namespace,
    name: sent.how === 'create' ? '' : (object.metadata.name ?? ''),
    subresource: ['create', 'replace'].includes(sent.how) ? '' : sent.how,
    user: userOf(sent.as),
    dryRun: sent.dryRun,
    fieldManager: 'test',
    warn: (message) => warnings.push(message),
  };
  const more = (result: JsonObject): JsonObject => (warnings.length === 0 ? result : { ...result, warnings });
  try {
    const answer = await (sent.how === 'create' ? create(context, call, object) : update(context, call, object));
    return more({ object: masked(answer.object, JSON.stringify(sent.object)) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return more({ code: error.code, message: error.message });
  }
}

/** Without what differs from run to run. */
function masked(object: KubeObject, sent: string): Json {
  const metadata = Object.entries(object.metadata).filter(
    ([key]) => !['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'].includes(key),
  );
  return mask({ ...object, metadata: Object.fromEntries(metadata) }, sent);
}

function mask(value: Json | undefined, sent: string): Json {
  if (typeof value === 'string') {
    if (/^10\.0\.0\.\d+$/.test(value) && !sent.includes(value)) return '<address>';
    if (/^\d{4}-\d\d-\d\dT[\d:]+Z$/.test(value)) return '<time>';
    return value.replace(/^kube-api-access-[a-z0-9]{5}$/, 'kube-api-access-<random>');
  }
  if (typeof value === 'number' && value >= 30000 && value <= 32767 && !sent.includes(String(value))) return '<port>';
  if (Array.isArray(value)) return value.map((item) => mask(item, sent));
  if (!isObject(value)) return value ?? null;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) if (own(value, key) !== undefined) put(copy, key, mask(own(value, key), sent));
  return copy;
}

describe('admission', () => {
  for (const name of readdirSync(CASES).sort()) {
    it(name.replaceAll('-', ' '), async () => {
      const folder = join(CASES, name);
      const cluster = await openMemoryCluster(name.includes('controllers') ? [RESOURCE_QUOTA] : []);
      try {
        await bootstrap(cluster.client);
        for (const object of [namespace(), ...documents(join(folder, 'given.yaml'))] as KubeObject[]) {
          const result = await send(cluster, { as: '', how: 'create', dryRun: false, object });
          expect(result, JSON.stringify(object)).toHaveProperty('object');
          await cluster.waitUntilQuiet();
        }
        const seen: Json[] = [];
        for (const each of documents(join(folder, 'send.yaml'))) {
          seen.push(await send(cluster, parseSent(each)));
          await cluster.waitUntilQuiet();
        }
        expect(seen).toEqual(JSON.parse(readFileSync(join(folder, 'expect.json'), 'utf8')));
      } finally {
        await cluster.close();
      }
    });
  }
});

function namespace(): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
}
