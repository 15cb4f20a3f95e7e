import { request } from 'undici';
import { isArray, isObject, own, parseJson, writeJson, type JsonObject } from '../../src/model/json/index.js';

/** Keys and values of an etcd, as its JSON gateway gives them. */
export type EtcdState = ReadonlyMap<string, string>;

const ALL = { key: encoded('/registry/'), range_end: encoded('/registry0') };
/** Programs that go on renew theirs. */
const KEPT = ['/registry/leases/kube-system/', '/registry/masterleases/'].map((prefix) => Buffer.from(prefix));
/** etcd refuses a transaction of more than 128 operations. */
const MAX_OPERATIONS = 100;

export async function readEtcdState(url: string): Promise<EtcdState> {
  const { kvs } = await call(url, 'range', ALL);
  const pairs = isArray(kvs) ? kvs.filter(isObject) : [];
  return new Map(pairs.map((pair) => [String(own(pair, 'key')), String(own(pair, 'value') ?? '')]));
}

/**
 * Puts back what a state had and removes what it had not. The API server and its controllers see that in their watches,
 * as they see any other change: much cheaper than new ones.
 */
export async function restoreEtcdState(url: string, before: EtcdState): Promise<void> {
  const now = await readEtcdState(url);
  const operations: JsonObject[] = [];
  for (const key of now.keys())
    if (!before.has(key) && !isKept(key)) operations.push({ request_delete_range: { key } });
  for (const [key, value] of before)
    if (now.get(key) !== value && !isKept(key)) operations.push({ request_put: { key, value } });
  for (let at = 0; at < operations.length; at += MAX_OPERATIONS)
    await call(url, 'txn', { success: operations.slice(at, at + MAX_OPERATIONS) });
}

function isKept(key: string): boolean {
  const bytes = Buffer.from(key, 'base64');
  return KEPT.some((prefix) => bytes.subarray(0, prefix.length).equals(prefix));
}

async function call(url: string, method: 'range' | 'txn', body: JsonObject): Promise<JsonObject> {
  const { statusCode, body: answer } = await request(`${url}/v3/kv/${method}`, {
    method: 'POST',
    body: writeJson(body),
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`etcd answers ${method} with ${statusCode}: ${text}`);
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : {};
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
