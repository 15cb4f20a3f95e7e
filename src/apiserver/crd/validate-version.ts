import type { JsonObject } from '../../model/json/index.js';
import { duplicateField, forbiddenField, invalidField, requiredField, type FieldError } from '../errors/index.js';
import { compileSchema } from './compile-schema.js';
import type { CrdColumn, CrdVersion } from './crd.js';
import { goJson, schemaJson } from './internal-json.js';
import { followPath } from './rule-field-path.js';
import { tooMany } from './value-result.js';
import { validateDefaults } from './validate-defaults.js';
import { validateOpenApi } from './validate-openapi.js';
import { validateStructural } from './validate-structural.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE = 8;

/** Validates the parts of a version that are named, under the paths that messages use for them. */
export function validateVersionParts(
  version: CrdVersion,
  paths: {
    readonly schema?: string;
    readonly subresources?: string;
    readonly columns?: string;
    readonly selectableFields?: string;
  },
): FieldError[] {
  const { schema, columns, selectableFields } = paths;
  return [
    ...(schema === undefined || version.schema === undefined
      ? []
      : schemaErrors(version.schema, schema, version.status)),
    ...(paths.subresources === undefined ? [] : scaleErrors(version, paths.subresources)),
    ...(columns === undefined
      ? []
      : version.columns.flatMap((column, index) => columnErrors(column, `${columns}[${index}]`))),
    ...(selectableFields === undefined ? [] : selectableErrors(version, selectableFields)),
  ];
}

function schemaErrors(schema: JsonObject, base: string, status: boolean): FieldError[] {
  const path = `${base}.openAPIV3Schema`;
  const errors = status ? rootErrors(schema, path) : [];
  if (schema.nullable === true) errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  const structural = validateStructural(schema, path);
  const defaults = structural.length > 0 ? [] : validateDefaults(schema, path);
  const sound = structural.length === 0 && defaults.length === 0;
  return [...errors, ...structural, ...defaults, ...validateOpenApi(schema, path, { rules: sound })];
}

const ROOT_KEYWORDS: readonly (readonly [string, string])[] = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
];

/** With a status endpoint the schema of status is used alone, so the root may say little about it. */
function rootErrors(schema: JsonObject, path: string): FieldError[] {
  const type = schema.type;
  if (typeof type === 'string' && type !== '' && type !== 'object') {
    return [
      invalidField(
        `${path}.type`,
        type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  }
  const allowed = new Set(ROOT_KEYWORDS.map(([, keyword]) => keyword));
  if (Object.keys(schema).every((keyword) => allowed.has(keyword))) return [];
  const why =
    `only [${ROOT_KEYWORDS.map(([name]) => name).join(' ')}] fields are allowed at the root of the schema if ` +
    'the status subresource is enabled';
  return [{ field: path, type: 'FieldValueInvalid', detail: `Invalid value: ${goJson(schemaJson(schema))}: ${why}` }];
}

/** A path in dots. */
function pathErrors(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalidField(field, path, 'must be a simple json path starting with .')];
}

function scaleErrors({ scale }: CrdVersion, path: string): FieldError[] {
  if (scale === undefined) return [];
  const check = (value: string, name: string, roots: readonly string[], says: string): FieldError[] => {
    const field = `${path}.scale.${name}`;
    const wrong = pathErrors(value, field);
    if (wrong.length > 0) return wrong;
    return roots.some((root) => value.startsWith(root))
      ? []
      : [invalidField(field, value, `should be a json path under ${says}`)];
  };
  return [
    ...(scale.specPath === ''
      ? [requiredField(`${path}.scale.specReplicasPath`)]
      : check(scale.specPath, 'specReplicasPath', ['.spec.'], '.spec')),
    ...(scale.statusPath === ''
      ? [requiredField(`${path}.scale.statusReplicasPath`)]
      : check(scale.statusPath, 'statusReplicasPath', ['.status.'], '.status')),
    ...(scale.selectorPath === ''
      ? []
      : check(scale.selectorPath, 'labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status')),
  ];
}

function columnErrors({ name, type, format, jsonPath }: CrdColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') errors.push(requiredField(`${path}.name`));
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type === '') errors.push(requiredField(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidField(`${path}.type`, type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    errors.push(invalidField(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  if (jsonPath === '') errors.push(requiredField(`${path}.JSONPath`));
  else errors.push(...pathErrors(jsonPath, `${path}.JSONPath`));
  return errors;
}

function selectableErrors(version: CrdVersion, path: string): FieldError[] {
  if (version.selectableFields.length === 0) return [];
  if (version.schema === undefined)
    return [invalidField(path, '', 'may only be set when validations.schema is included')];
  const schema = compileSchema(version.schema);
  const seen = new Set<string>();
  const errors = version.selectableFields.flatMap((jsonPath, index) => {
    const field = `${path}[${index}].jsonPath`;
    if (jsonPath === '') return [requiredField(field)];
    const found = followPath(jsonPath, schema, { brackets: false });
    if ('error' in found) return [invalidField(field, jsonPath, `is an invalid path: ${found.error}`)];
    const wrong: FieldError[] = [];
    if (found.path.split('.')[0] === 'metadata')
      wrong.push(invalidField(field, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      wrong.push(
        invalidField(
          field,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with ' +
            'formats are allowed.',
        ),
      );
    }
    if (seen.has(found.path)) wrong.push(duplicateField(field, jsonPath));
    seen.add(found.path);
    return wrong;
  });
  return seen.size > MAX_SELECTABLE ? [...errors, tooMany(path, seen.size, MAX_SELECTABLE)] : errors;
}
