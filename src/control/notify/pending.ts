import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { CHANGE_FIELDS, type Change } from './change.js';
import type { DueMessage } from './evaluate-triggers.js';

/** A promised message: stored before it is sent, so that the next process sends it after a crash. */
export interface Pending extends DueMessage {
  /** Its place among all messages of the application. */
  readonly place: number;
  /** Its trigger. */
  readonly change: Change;
}

/** Annotations are kept small; further messages are promised as soon as earlier ones are delivered. */
const MAX_ANNOTATION_LENGTH = 3000;

/**
 * As many as there is room for: the oldest of each receiver, then the next of each, so that an unavailable receiver
 * does not block others.
 */
export function storable<T extends Pending>(
  pending: readonly T[],
  present: Change,
): { readonly stored: readonly JsonObject[]; readonly promised: readonly T[] } {
  let room = MAX_ANNOTATION_LENGTH;
  const promised = byRounds(pending)
    .filter((each) => {
      room -= JSON.stringify(entryOf(each, present)).length + 1;
      return room >= 0;
    })
    .sort((a, b) => a.place - b.place);
  return { stored: promised.map((each) => entryOf(each, present)), promised };
}

function byRounds<T extends Pending>(pending: readonly T[]): T[] {
  const turns = new Map<string, number>();
  const ranked = pending.map((each) => {
    const to = JSON.stringify(each.destination);
    const turn = turns.get(to) ?? 0;
    turns.set(to, turn + 1);
    return { each, turn };
  });
  return ranked.sort((a, b) => a.turn - b.turn || a.each.place - b.each.place).map(({ each }) => each);
}

/** Where the change is not the present one, what differs is kept with the message. */
function entryOf(
  { trigger, key, templates, destination: { service, recipient }, place, change }: Pending,
  present: Change,
): JsonObject {
  const different = Object.fromEntries(
    CHANGE_FIELDS.filter((field) => change[field] !== present[field]).map((field) => [field, change[field]]),
  );
  return {
    trigger,
    key,
    templates: [...templates],
    service,
    recipient,
    place,
    ...(Object.keys(different).length === 0 ? {} : { change: different }),
  };
}

/** Entries in another format are dropped. */
export function readPending(value: Json | undefined, present: Change): Pending[] {
  if (value === undefined || !isArray(value)) return [];
  return value.flatMap((entry) => {
    if (!isObject(entry)) return [];
    const { trigger, key, templates, service, recipient, place, change } = entry;
    if (
      typeof trigger !== 'string' ||
      typeof key !== 'string' ||
      typeof service !== 'string' ||
      typeof recipient !== 'string' ||
      typeof place !== 'number' ||
      !isArray(templates ?? null)
    )
      return [];
    const names = (templates as Json[]).filter((name) => typeof name === 'string');
    return [
      {
        trigger,
        key,
        templates: names,
        destination: { service, recipient },
        place,
        change: { ...present, ...differences(change) },
      },
    ];
  });
}

function differences(value: Json | undefined): Partial<Change> {
  if (!isObject(value ?? null)) return {};
  return Object.fromEntries(
    CHANGE_FIELDS.flatMap((field) => {
      const text = own(value as JsonObject, field);
      return typeof text === 'string' ? [[field, text]] : [];
    }),
  );
}
