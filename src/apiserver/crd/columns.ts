import { formatGoNumber } from '../../model/go/index.js';
import { humanDuration } from '../../model/formats/index.js';
import { writeJson, type Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { parseTimestamp } from '../cel/index.js';
import type { Column } from '../resources/index.js';
import type { CrdColumn } from './crd.js';
import { findByJsonPath, parseJsonPath } from './json-path.js';

const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may ' +
  'allow a client to request the generation of an appropriate name automatically. Name is primarily ' +
  'intended for creation idempotence and configuration definition. Cannot be updated. More info: ' +
  'https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const CREATED_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not ' +
  'guaranteed to be set in happens-before order across separate operations. Clients may not set this value. ' +
  'It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. ' +
  'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: NAME_DESCRIPTION,
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};
const AGE: CrdColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: CREATED_DESCRIPTION,
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of a custom resource: its name, then what the CRD names, or the age where it names nothing. */
export function customColumns(columns: readonly CrdColumn[]): Column[] {
  const wanted = columns.length === 0 ? [AGE] : columns;
  const parsed = wanted.map((column) => parseJsonPath(column.jsonPath));
  // One unreadable path leaves the name alone, as in the real server.
  if (parsed.includes(undefined)) return [NAME];
  return [NAME, ...wanted.map((column) => customColumn(column))];
}

function customColumn({ name, type, format, description, priority, jsonPath }: CrdColumn): Column {
  const steps = parseJsonPath(jsonPath) ?? [];
  return {
    name,
    type: type as Column['type'],
    format,
    priority,
    description:
      description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    cell: (object: KubeObject, now: Date) => cellOf(type, findByJsonPath(object, steps)[0], now),
  };
}

function cellOf(type: string, value: Json | undefined, now: Date): Json {
  if (value === undefined) return null;
  if (type === 'string') return printed(value);
  if (value === null) return null;
  switch (type) {
    case 'integer':
      if (typeof value === 'number') return Math.trunc(value);
      return typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? age(value, now) : null;
    default:
      return null;
  }
}

/** Text as JSONPath prints it: objects and lists as JSON, scalars plain. */
function printed(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return formatGoNumber(value);
  return typeof value === 'boolean' ? String(value) : writeJson(value);
}

function age(text: string, now: Date): string {
  if (text === '' || text === 'null') return '<unknown>';
  const time = parseTimestamp(text);
  return time === undefined ? '<invalid>' : humanDuration(now.getTime() - Number(time.nanos / 1_000_000n));
}
