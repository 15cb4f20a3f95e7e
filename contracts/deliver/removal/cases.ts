import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/model/index.js';

/** What one commit takes away from a file of `given/`. */
interface Removal {
  readonly what: string;
  readonly file: string;
  readonly commit: Json;
  readonly object: string;
  /** What somebody else sets in the object before. */
  readonly beside: JsonObject;
  readonly then: JsonObject;
  /** Played in every `npm test` on every server. */
  readonly smoke?: boolean;
}

/** Who made the object. */
interface Applier {
  readonly who: string;
  /** Arguments of `kubectl apply`; absent where our controller makes it. */
  readonly apply?: readonly string[];
  /** The manager and the operation that own what it made. */
  readonly manager: readonly [string, string];
  readonly tracked?: boolean;
}

export interface RemovalCase {
  readonly name: string;
  readonly removal: Removal;
  readonly applier: Applier;
}

export const FOLDER = import.meta.dirname;

/** Every removal from an object of every applier. */
export function readCases(): RemovalCase[] {
  const removals = read('removals.yaml') as readonly Removal[];
  const appliers = read('appliers.yaml') as readonly Applier[];
  return removals.flatMap((removal) => appliers.map((applier) => ({ name: `${removal.what} that leaves git leaves the object that ${applier.who} made`, removal, applier })));
}

export function readDefinition(): JsonObject {
  return read('definition.yaml') as JsonObject;
}

function read(file: string): unknown {
  return parse(readFileSync(join(FOLDER, file), 'utf8'));
}
