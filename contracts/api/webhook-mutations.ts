import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { ApiLab } from './api-lab.js';
import { Chance } from './chance.js';
import { DELIVERIES } from './deliveries.js';
import { checkResponse, ODD, type BadResponse } from './mutations.js';

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

/** Sends deliveries by chance; gives those whose answers no forge may get. */
export async function sendDeliveries(
  lab: ApiLab,
  seed: number,
  count: number,
): Promise<{ readonly wrong: BadResponse[]; readonly statuses: Record<string, number> }> {
  const chance = new Chance(seed);
  const wrong: BadResponse[] = [];
  const statuses: Record<string, number> = {};
  for (let sent = 0; sent < count; sent++) {
    const [name, { headers, body }] = chance.pick(Object.entries(DELIVERIES));
    const [bytes, given] = [bytesOf(mutated(body, chance), chance), headersOf(headers, chance)];
    const told = `${name} ${JSON.stringify(given).slice(0, 200)} ${bytes.slice(0, 300)}`;
    const { status, text } = await lab.request('/api/webhook', {
      method: 'POST',
      token: '',
      body: bytes,
      headers: given,
    });
    const kind = `${String(status).slice(0, 1)}xx`;
    statuses[kind] = (statuses[kind] ?? 0) + 1;
    const why = checkResponse(status, text);
    if (why !== '') wrong.push({ request: told, why });
    if (!lab.isRunning)
      return { wrong: [...wrong, { request: told, why: `the process is gone: ${lab.output.slice(-500)}` }], statuses };
  }
  return { wrong, statuses };
}
