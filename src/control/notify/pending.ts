import { isArray, isObject, own, type Json, type JsonObject } from '../../model/index.js';
import { CHANGE_FIELDS, type Change } from './change.js';
import type { Due } from './evaluate-triggers.js';

/** A message that was promised: stored before it is sent, so that whoever comes next sends it. */
export interface Pending extends Due {
  /** Its place among all messages of the application. */
  readonly place: number;
  /** What it tells of. */
  readonly change: Change;
}

/** Annotations of ours are small; messages beyond this are promised as soon as earlier ones are taken. */
const MOST_CHARACTERS = 3000;

/** As many as there is room for, the oldest first. Where the change is not the present one, what differs is kept with the message. */
export function storable(pending: readonly Pending[], present: Change): { readonly stored: JsonObject[]; readonly left: readonly Pending[] } {
  const stored: JsonObject[] = [];
  let room = MOST_CHARACTERS;
  for (const [index, { trigger, key, templates, destination: { service, recipient }, place, change }] of pending.entries()) {
    const different = Object.fromEntries(CHANGE_FIELDS.filter((field) => change[field] !== present[field]).map((field) => [field, change[field]]));
    const entry: JsonObject = { trigger, key, templates: [...templates], service, recipient, place, ...(Object.keys(different).length === 0 ? {} : { change: different }) };
    room -= JSON.stringify(entry).length + 1;
    if (room < 0) return { stored, left: pending.slice(index) };
    stored.push(entry);
  }
  return { stored, left: [] };
}

/** What somebody else wrote there is left out. */
export function readPending(value: Json | undefined, present: Change): Pending[] {
  if (value === undefined || !isArray(value)) return [];
  return value.flatMap((entry) => {
    if (!isObject(entry)) return [];
    const { trigger, key, templates, service, recipient, place, change } = entry;
    if (typeof trigger !== 'string' || typeof key !== 'string' || typeof service !== 'string' || typeof recipient !== 'string' || typeof place !== 'number' || !isArray(templates ?? null)) return [];
    const names = (templates as Json[]).filter((name) => typeof name === 'string');
    return [{ trigger, key, templates: names, destination: { service, recipient }, place, change: { ...present, ...differences(change) } }];
  });
}

function differences(value: Json | undefined): Partial<Change> {
  if (!isObject(value ?? null)) return {};
  return Object.fromEntries(CHANGE_FIELDS.flatMap((field) => {
    const text = own(value as JsonObject, field);
    return typeof text === 'string' ? [[field, text]] : [];
  }));
}
