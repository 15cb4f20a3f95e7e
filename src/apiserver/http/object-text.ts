import { writeJson, type JsonObject } from '../../model/json/index.js';
import { apiVersionOf, fromStored, type ListResult } from '../rest/index.js';
import type { ResourceType } from '../resources/index.js';
import type { Stored } from '../store/index.js';

// Kept bodies start with kind and apiVersion (rest/context.ts, toStored), so another version's text and the items of a
// built-in list, which carry neither, are the kept text with another start: nothing is parsed or written again.
function startOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** JSON text of one kept object in the version of `type`. */
export function objectText(type: ResourceType, stored: Stored): string {
  const wanted = apiVersionOf(type);
  if (wanted === type.storedApiVersion) return stored.body;
  if (type.conversion) return writeJson(fromStored(type, stored));
  return startOf(type.kind, wanted) + stored.body.slice(startOf(type.kind, type.storedApiVersion).length);
}

/** JSON text of a list, in pieces. */
export function* listText(type: ResourceType, result: ListResult): Generator<string> {
  // Lists of custom resources always say how they go on, also where they do not.
  const metadata = writeJson(type.custom ? { continue: '', ...listMetadata(result) } : listMetadata(result));
  const [kind, version] = [JSON.stringify(type.listKind), JSON.stringify(apiVersionOf(type))];
  yield `{"kind":${kind},"apiVersion":${version},"metadata":${metadata},"items":[`;
  const cut = type.custom ? 0 : startOf(type.kind, apiVersionOf(type)).length;
  let before = '';
  for (const stored of result.items) {
    const text = objectText(type, stored);
    yield cut === 0 ? `${before}${text}` : `${before}{${text.slice(cut)}`;
    before = ',';
  }
  yield ']}';
}

export function listMetadata({ revision, continueToken, remaining }: ListResult): JsonObject {
  return {
    resourceVersion: String(revision),
    ...(continueToken === undefined ? {} : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}
