import { Fault } from '../../model/faults/index.js';
import { isObject, own, parseJson, put, isArray, type Json, type JsonObject } from '../../model/json/index.js';
import { compareText } from '../../model/go/index.js';
import type { FieldSet, KubeObject } from '../../model/kubernetes/index.js';
import { compareShaped } from './compare.js';
import { fieldsOf } from './field-set-of.js';
import type { Shape } from './shape.js';
import { typeErrors } from './typed-check.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS = 256 * 1024;

function lastAppliedOf(object: KubeObject): string {
  const annotations = object.metadata.annotations;
  const text = isObject(annotations) ? own(annotations, LAST_APPLIED) : undefined;
  return typeof text === 'string' ? text : '';
}

/**
 * Fields that kubectl applied client-side and that are still as it applied them: kubectl may take them over by
 * server-side apply without force. Undefined where the annotation does not say.
 */
export function fieldsFromLastApplied(live: KubeObject, apiVersion: string, shape: Shape): FieldSet | undefined {
  const applied = parseApplied(lastAppliedOf(live));
  if (applied?.apiVersion !== apiVersion || typeErrors(applied, shape).length > 0) return undefined;
  const { added, modified, removed } = compareShaped(applied, live, shape);
  return fieldsOf(applied, shape).difference(modified).difference(added).difference(removed);
}

function parseApplied(text: string): JsonObject | undefined {
  if (text === '') return undefined;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    // A broken annotation only means that it cannot speak for anyone; the conflicts stand.
    if (error instanceof SyntaxError || error instanceof Fault) return undefined;
    throw error;
  }
}

/** Keeps the client-side annotation, where there is one, in step with what kubectl applied server-side. */
export function withLastApplied(object: KubeObject, config: KubeObject): KubeObject {
  if (lastAppliedOf(object) === '') return object;
  const annotations: JsonObject = { ...object.metadata.annotations };
  put(annotations, LAST_APPLIED, appliedText(config));
  if (sizeOf(annotations) > MAX_ANNOTATIONS) put(annotations, LAST_APPLIED, undefined);
  return { ...object, metadata: { ...object.metadata, annotations: annotations as Record<string, string> } };
}

function appliedText(config: KubeObject): string {
  const annotations = config.metadata.annotations;
  if (!isObject(annotations) || own(annotations, LAST_APPLIED) === undefined) return `${sortedJson(config)}\n`;
  const rest = { ...annotations } as Record<string, string>;
  put(rest, LAST_APPLIED, undefined);
  return `${sortedJson({ ...config, metadata: { ...config.metadata, annotations: rest } })}\n`;
}

function sizeOf(annotations: JsonObject): number {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    const value = own(annotations, key);
    if (typeof value === 'string') size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return size;
}

const HTML = /[<>&\u2028\u2029]/g;

/** JSON as Go writes a map: keys sorted, < > & escaped. */
function sortedJson(value: Json): string {
  if (isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isObject(value)) return typeof value === 'bigint' ? value.toString() : goText(JSON.stringify(value));
  const members: string[] = [];
  for (const key of Object.keys(value).sort(compareText)) {
    const member = own(value, key);
    if (member !== undefined) members.push(`${goText(JSON.stringify(key))}:${sortedJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

function goText(text: string): string {
  return text.replace(HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
