import { invalid, requiredField, tooLongField, type FieldError } from '../errors/index.js';
import type { FieldValidation } from './decode.js';

/** The query parameters that every write understands, by the name of their options object. */
export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty where the client named none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

const MAX_MANAGER_LENGTH = 128;

/** Reads and checks them; `apply` is a server-side apply, not another patch. */
export function readWriteOptions(kind: OptionsKind, query: URLSearchParams, apply = false): WriteOptions {
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = [
    ...(kind === 'PatchOptions' ? patchErrors(query, apply, fieldManager) : []),
    ...managerErrors(fieldManager),
    ...dryRunErrors(dryRun),
    ...validationErrors(fieldValidation),
  ];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  const force = readLoosely(query.get('force'));
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    force,
  };
}

/** Go's strconv.ParseBool, with everything it does not know taken as true, as the real server does for query flags. */
function readLoosely(text: string | null): boolean {
  return text !== null && !['false', 'False', 'FALSE', 'f', 'F', '0'].includes(text);
}

function patchErrors(query: URLSearchParams, apply: boolean, manager: string): FieldError[] {
  if (apply) return manager === '' ? [requiredField('fieldManager', 'is required for apply patch')] : [];
  if (!query.has('force')) return [];
  return [
    { field: 'force', type: 'FieldValueForbidden', detail: 'Forbidden: may not be specified for non-apply patch' },
  ];
}

function managerErrors(manager: string): FieldError[] {
  const errors =
    Buffer.byteLength(manager) > MAX_MANAGER_LENGTH ? [tooLongField('fieldManager', MAX_MANAGER_LENGTH)] : [];
  const bad = [...manager].findIndex((char) => !isPrintable(char));
  if (bad < 0) return errors;
  const code = ([...manager][bad]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [
    ...errors,
    {
      field: 'fieldManager',
      type: 'FieldValueInvalid',
      detail: `Invalid value: ${JSON.stringify(manager)}: invalid character U+${code} (at position ${bad})`,
    },
  ];
}

function isPrintable(char: string): boolean {
  return char === ' ' || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char);
}

function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  return [
    {
      field: 'dryRun',
      type: 'FieldValueNotSupported',
      detail: `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`,
    },
  ];
}

function validationErrors(value: string): FieldError[] {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(value)) return [];
  return [
    {
      field: 'fieldValidation',
      type: 'FieldValueNotSupported',
      detail: `Unsupported value: ${JSON.stringify(value)}: supported values: "", "Ignore", "Strict", "Warn"`,
    },
  ];
}
