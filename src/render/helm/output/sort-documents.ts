import { compareText } from '../../../model/go/index.js';
import { Fault } from '../../../model/faults/index.js';
import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { jsonKind } from '../chart/go-struct-reader.js';
import { yamlErrorText } from '../functions/serialization/yaml-error-text.js';
import { byInstallOrder } from './install-order.js';
import { isBlank, splitDocuments } from './split-documents.js';

/** One document of the output. */
export interface RenderedDocument {
  /** The template's name, as in `# Source:`. */
  readonly source: string;
  /** Its place among the documents of the file, from 0, and how many there are. */
  readonly index: number;
  readonly count: number;
  readonly text: string;
  readonly value: Json;
  readonly kind: string;
}

export interface SortedDocuments {
  readonly manifests: readonly RenderedDocument[];
  readonly hooks: readonly RenderedDocument[];
}

const HOOK = 'helm.sh/hook';
const EVENTS: ReadonlySet<string> = new Set([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
  'test-success',
]);

/** Splits files into documents, tells hooks from the rest, and puts both in the order of installation. */
export function sortDocuments(files: ReadonlyMap<string, string>): SortedDocuments {
  const manifests: RenderedDocument[] = [];
  const hooks: RenderedDocument[] = [];
  for (const source of [...files.keys()].sort(compareText)) {
    const text = files.get(source) ?? '';
    if (source.slice(source.lastIndexOf('/') + 1).startsWith('_') || isBlank(text)) continue;
    for (const document of readDocuments(source, text)) {
      const events = hookEvents(document.value);
      if (events === undefined) manifests.push(document);
      // Helm drops a hook whose type it does not know.
      else if (events.every((event) => EVENTS.has(event))) hooks.push(document);
    }
  }
  return { manifests: manifests.sort(byInstallOrder), hooks: hooks.sort(byInstallOrder) };
}

export function isTest(document: RenderedDocument): boolean {
  return hookEvents(document.value)?.some((event) => event === 'test' || event === 'test-success') ?? false;
}

function readDocuments(source: string, text: string): RenderedDocument[] {
  const texts = splitDocuments(text);
  return texts.map((one, index) => {
    const value = readDocument(one, source);
    return { source, index, count: texts.length, text: one, value, kind: headOf(value, source) };
  });
}

export function readDocument(text: string, source: string): Json {
  try {
    return readOneYaml(text, { dialect: 'kubernetes' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw invalid(source, `error converting YAML to JSON: ${yamlErrorText(error, text)}`, error);
  }
}

/** The kind, after a look at the few fields that Helm itself reads. */
function headOf(value: Json, source: string): string {
  if (value === null) return '';
  if (!isObject(value)) throw mistyped(source, value, 'Go value of type util.SimpleHead');
  textField(value, 'apiVersion', source, '.apiVersion');
  const { metadata } = value;
  if (isObject(metadata)) {
    textField(metadata, 'name', source, '.metadata.name');
    const { annotations } = metadata;
    if (isObject(annotations))
      for (const key of Object.keys(annotations)) textField(annotations, key, source, '.metadata.annotations');
    else if (annotations !== undefined && annotations !== null)
      throw mistyped(source, annotations, 'Go struct field .metadata.annotations of type map[string]string');
  } else if (metadata !== undefined && metadata !== null)
    throw mistyped(
      source,
      metadata,
      'Go struct field SimpleHead.metadata of type struct { Name string "json:\\"name\\""; Annotations ' +
        'map[string]string "json:\\"annotations\\"" }',
    );
  return textField(value, 'kind', source, 'SimpleHead.kind');
}

/** A string, or a number or flag that Go's YAML reader takes for one. */
function textField(object: JsonObject, name: string, source: string, field: string): string {
  const value = own(object, name);
  if (value === undefined || value === null) return '';
  if (typeof value === 'object')
    throw mistyped(
      source,
      value,
      `Go struct field ${field === '.apiVersion' ? 'SimpleHead.apiVersion' : field} of type string`,
    );
  return String(value);
}

function hookEvents(value: Json): string[] | undefined {
  const metadata = isObject(value) ? value.metadata : undefined;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  const hook = isObject(annotations) ? own(annotations, HOOK) : undefined;
  if (hook === undefined) return undefined;
  return String(hook ?? '')
    .split(',')
    .map((event) => event.trim().toLowerCase());
}

function mistyped(source: string, value: Json, into: string): Fault {
  return invalid(
    source,
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into ${into}`,
  );
}

function invalid(source: string, problem: string, cause?: unknown): Fault {
  return new Fault('MANIFEST_INVALID', `YAML parse error on ${source}: ${problem}`, { where: source, cause });
}
