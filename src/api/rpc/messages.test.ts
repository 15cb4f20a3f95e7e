import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { ARGO_CD_VERSION } from '../../model/argo/index.js';
import { WireError } from '../../model/protobuf/index.js';
import { readMessage } from './read-message.js';
import { writeMessage } from './write-message.js';

/** Recorded from Go by scripts/grpc-table: a message of every type that a method takes or gives, in both forms. */
const recorded = readFileSync(new URL('messages.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly type: string; readonly proto: string; readonly json: JsonObject });

/** What is empty travels or not, as Go likes; it means the same. */
function withoutEmpty(value: Json | undefined): Json | undefined {
  if (isArray(value)) return value.map((item) => withoutEmpty(item) ?? null);
  // Rules that say nothing, as YAML.
  if (typeof value === 'string' && /^(\{\}\n|(\w+: null\n)+)$/.test(value)) return undefined;
  if (!isObject(value)) return value === null || value === '' || value === 0 || value === false ? undefined : value;
  const kept = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item)] as const)
    .filter(([, item]) => item !== undefined && !(isObject(item) && Object.keys(item).length === 0));
  return Object.fromEntries(kept);
}

it('knows the messages of the Argo CD whose version the server names', () => {
  const { version } = JSON.parse(readFileSync(new URL('data/argo-cd-api.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(version).toBe(ARGO_CD_VERSION);
  expect(recorded.length).toBeGreaterThan(100);
});

it('has each number of a message once', () => {
  const { types } = JSON.parse(readFileSync(new URL('data/argo-cd-api.json', import.meta.url), 'utf8')) as {
    types: Record<string, [number][]>;
  };
  const doubled = Object.entries(types).filter(
    ([, fields]) => new Set(fields.map(([number]) => number)).size < fields.length,
  );
  expect(doubled.map(([name]) => name)).toEqual([]);
  const bytes = writeMessage({ kind: 'Application', metadata: { name: 'web' } }, 'application.v1alpha1.Application');
  expect(readMessage(bytes, 'application.v1alpha1.Application')).toEqual({ metadata: { name: 'web' } });
});

it.each(recorded.map((each) => [each.type, each] as const))(
  '%s is read and written as Go does',
  (type, { proto, json }) => {
    const read = readMessage(Buffer.from(proto, 'base64'), type);
    expect(withoutEmpty(read)).toEqual(withoutEmpty(json));
    expect(withoutEmpty(readMessage(writeMessage(json, type), type))).toEqual(withoutEmpty(json));
  },
);

it('refuses bytes that are no message, whatever they are', () => {
  let refused = 0;
  for (const { type, proto } of recorded) {
    const bytes = Buffer.from(proto, 'base64');
    for (let at = 0; at < bytes.length; at += 1 + (bytes.length >> 6)) {
      const broken = Buffer.from(bytes);
      broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8));
      try {
        readMessage(broken, type);
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(100);
});
