import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { ApiLab } from './api-lab.js';
import { Chance } from './chance.js';
import { DELIVERIES } from './deliveries.js';
import { askAgain } from '../harness/ask-again.js';
import { inLanes } from '../harness/in-lanes.js';
import { hostileValue } from './hostile-values.js';
import { checkResponse, ODD, type BadResponse } from './mutations.js';
import { ObjectSchema } from './schema-fields.js';

/** A payload in which something is not as the forge writes it. */
function mutated(value: Json, chance: Chance): Json {
  if (chance.under(0.12)) return chance.pick(ODD);
  if (isArray(value)) {
    const items = value.map((item) => mutated(item, chance));
    if (chance.under(0.1)) return [...items, ...items, chance.pick(ODD)];
    return chance.under(0.1) ? items.slice(1) : items;
  }
  if (!isObject(value)) return chance.under(0.1) ? nested(chance.below(200)) : value;
  const entries = Object.entries(value)
    .filter(() => !chance.under(0.08))
    .map(([key, inner]): [string, Json] => [
      chance.under(0.05) ? chance.pick(['', '__proto__', 'constructor', 'ref', 'toString']) : key,
      mutated(inner ?? null, chance),
    ]);
  // A key that is `__proto__` must stay one on its way.
  return JSON.parse(
    `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${JSON.stringify(inner)}`).join(',')}}`,
  ) as JsonObject;
}

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** As bytes, sometimes cut off, doubled or no JSON at all. */
function bytesOf(body: Json, chance: Chance): string {
  const text = JSON.stringify(body);
  if (chance.under(0.05)) return text.slice(0, chance.below(text.length));
  if (chance.under(0.03)) return `${text}${text}`;
  return chance.under(0.03)
    ? chance.pick(['', 'null', '[]', '"x"', '\u0000', 'payload=%7B%7D', '['.repeat(50_000)])
    : text;
}

function headersOf(known: Readonly<Record<string, string>>, chance: Chance): Record<string, string> {
  const others = Object.values(DELIVERIES).flatMap(({ headers }) => Object.entries(headers));
  const chosen = Object.entries(known)
    .filter(() => !chance.under(0.05))
    .map(([name, value]): [string, string] => [name, chance.under(0.05) ? 'x'.repeat(chance.below(2000)) : value]);
  const extra = chance.under(0.1) ? [chance.pick(others)] : [];
  return Object.fromEntries([
    ...chosen,
    ...extra,
    [
      'content-type',
      chance.under(0.9) ? 'application/json' : chance.pick(['text/plain', 'application/x-www-form-urlencoded', '']),
    ],
  ]);
}

interface SentDeliveries {
  readonly wrong: readonly BadResponse[];
  readonly statuses: Readonly<Record<string, number>>;
  /** The numbers of the fields that were changed in a body that was answered. */
  readonly fields: readonly number[];
}

/** Every field of every body. */
const FIELDS = Object.entries(DELIVERIES).flatMap(([name, { headers, body }]) => {
  const schema = ObjectSchema.like(body);
  return schema.fields.map((field) => ({ name, headers, body, schema, field }));
});
export const DELIVERY_FIELDS = FIELDS.length;

/**
 * Sends deliveries by chance, each with another field changed than the one before, from the field with this number on;
 * gives those whose answers no forge may get.
 */
export async function sendDeliveries(
  lab: ApiLab,
  seed: number,
  count: number,
  { from = 0, lanes = 1 }: { readonly from?: number; readonly lanes?: number } = {},
): Promise<SentDeliveries> {
  const chance = new Chance(seed);
  const wrong: BadResponse[] = [];
  const statuses: Record<string, number> = {};
  const fields: number[] = [];
  const deliveries = Array.from({ length: count }, (_, index) => delivery((from + index) % FIELDS.length, chance));
  await inLanes(lanes, deliveries, async ({ told, field, bytes, headers }) => {
    if (!lab.isRunning) return;
    const asked = { method: 'POST', token: '', body: bytes, headers };
    const { status, text } = await askAgain(() => lab.request('/api/webhook', asked));
    const kind = `${String(status).slice(0, 1)}xx`;
    statuses[kind] = (statuses[kind] ?? 0) + 1;
    fields.push(field);
    const why = checkResponse(status, text);
    if (why !== '') wrong.push({ request: told, why });
  });
  if (!lab.isRunning) wrong.push({ request: 'deliveries', why: `the process is gone: ${lab.output.slice(-500)}` });
  return { wrong, statuses, fields };
}

function delivery(
  number: number,
  chance: Chance,
): { told: string; field: number; bytes: string; headers: Record<string, string> } {
  const { name, headers, body, schema, field } = FIELDS[number] as (typeof FIELDS)[number];
  const changed = chance.under(0.5) ? mutated(body, chance) : body;
  const odd = schema.placed(isObject(changed) ? changed : body, field, hostileValue(field.schema, chance));
  // Now and then a body that is no object at all.
  const bytes = bytesOf(isObject(changed) ? odd : chance.pick([changed, odd]), chance);
  const given = headersOf(headers, chance);
  return {
    told: `${name} ${JSON.stringify(given).slice(0, 200)} ${bytes.slice(0, 300)}`,
    field: number,
    bytes,
    headers: given,
  };
}
