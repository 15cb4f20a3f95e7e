import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/model/json/index.js';

/** What one commit takes away from a file of `given/`. */
interface Removal {
  readonly what: string;
  readonly file: string;
  readonly commit: Json;
  readonly object: string;
  /** What somebody else sets in the object before. */
  readonly beside: JsonObject;
  readonly then: JsonObject;
  /** Played on a real server by every `npm test`. */
  readonly smoke?: boolean;
}

/** Who made the object. */
export interface Applier {
  readonly who: string;
  /** Arguments of `kubectl apply`; absent where our controller makes it. */
  readonly apply?: readonly string[];
  /** The manager and the operation that own it before the commit. */
  readonly manager: readonly [string, string];
  readonly tracked?: boolean;
  readonly first: 'sync' | 'look' | 'commit';
}

export interface RemovalCase {
  /** Of its application, its namespace and its folder. */
  readonly id: string;
  readonly name: string;
  readonly removal: Removal;
  readonly applier: Applier;
}

export const FOLDER = import.meta.dirname;

/** Every removal from an object of every applier. */
export function readCases(): RemovalCase[] {
  const removals = read('removals.yaml') as readonly Removal[];
  const appliers = read('appliers.yaml') as readonly Applier[];
  return removals
    .flatMap((removal) =>
      appliers.map((applier) => ({
        removal,
        applier,
        name: `${removal.what} that leaves git leaves the object that ${applier.who}`,
      })),
    )
    .map((one, index) => ({ ...one, id: `case-${index + 1}` }));
}

export function readDefinition(): JsonObject {
  return read('definition.yaml') as JsonObject;
}

function read(file: string): unknown {
  return parse(readFileSync(join(FOLDER, file), 'utf8'));
}
