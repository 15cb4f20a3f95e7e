import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../../model/json/index.js';

/**
 * The OpenAPI v2 document in the protobuf form of gnostic's openapi.v2 messages. client-go asks for nothing else at
 * `/openapi/v2`, and kubectl goes there whenever it does not find a kind in v3.
 */

/** How a member is written: a field number and a writer of its value. */
type Field = readonly [number: number, write: (value: Json) => Uint8Array | undefined];

const LENGTH_DELIMITED = 2;
const VARINT = 0;
const DOUBLE = 1;

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

function tagged(number: number, wire: number, ...content: Uint8Array[]): Uint8Array {
  return Buffer.concat([varint(number * 8 + wire), ...content]);
}

function bytes(number: number, content: Uint8Array): Uint8Array {
  return tagged(number, LENGTH_DELIMITED, varint(content.length), content);
}

const text = (number: number): Field => [
  number,
  (value) => (typeof value === 'string' ? bytes(number, Buffer.from(value)) : undefined),
];
const flag = (number: number): Field => [
  number,
  (value) => (value === true ? tagged(number, VARINT, varint(1)) : undefined),
];
const whole = (number: number): Field => [
  number,
  (value) => (typeof value === 'number' && value >= 0 ? tagged(number, VARINT, varint(value)) : undefined),
];
const real = (number: number): Field => [
  number,
  (value) => {
    if (typeof value !== 'number') return undefined;
    const content = Buffer.alloc(8);
    content.writeDoubleLE(value);
    return tagged(number, DOUBLE, content);
  },
];
const message = (number: number, write: (value: Json) => Uint8Array): Field => [
  number,
  (value) => bytes(number, write(value)),
];
const list = (number: number, write: (value: Json) => Uint8Array): Field => [
  number,
  (value) => Buffer.concat((isArray(value) ? value : []).map((item) => bytes(number, write(item)))),
];
const texts = (number: number): Field => list(number, (value) => Buffer.from(typeof value === 'string' ? value : ''));

/** A value that no message describes: YAML text, and JSON is YAML. */
const any = (value: Json): Uint8Array => bytes(2, Buffer.from(writeJson(value)));

/** Members of a JSON object as repeated `{ name = 1; value = 2 }`. */
function named(number: number, value: Json | undefined, write: (value: Json) => Uint8Array): Uint8Array {
  if (!isObject(value)) return new Uint8Array();
  return Buffer.concat(
    Object.keys(value).map((key) =>
      bytes(number, Buffer.concat([bytes(1, Buffer.from(key)), bytes(2, write(own(value, key) ?? null))])),
    ),
  );
}

/** Writes the members that `fields` knows, and `x-...` ones as vendor extensions. */
function object(fields: ReadonlyMap<string, Field>, extensions: number): (value: Json) => Uint8Array {
  return (value) => {
    if (!isObject(value)) return new Uint8Array();
    const parts: Uint8Array[] = [];
    const extra: JsonObject = {};
    for (const key of Object.keys(value)) {
      const member = own(value, key) ?? null;
      const part = fields.get(key)?.[1](member);
      if (part !== undefined) parts.push(part);
      else if (key.startsWith('x-')) Object.assign(extra, { [key]: member });
    }
    return Buffer.concat([...parts, named(extensions, extra, any)]);
  };
}

const schema = (value: Json): Uint8Array => writeSchema(value);
const writeSchema = object(
  new Map<string, Field>([
    ['$ref', text(1)],
    ['format', text(2)],
    ['title', text(3)],
    ['description', text(4)],
    ['default', message(5, any)],
    ['multipleOf', real(6)],
    ['maximum', real(7)],
    ['exclusiveMaximum', flag(8)],
    ['minimum', real(9)],
    ['exclusiveMinimum', flag(10)],
    ['maxLength', whole(11)],
    ['minLength', whole(12)],
    ['pattern', text(13)],
    ['maxItems', whole(14)],
    ['minItems', whole(15)],
    ['uniqueItems', flag(16)],
    ['maxProperties', whole(17)],
    ['minProperties', whole(18)],
    ['required', texts(19)],
    ['enum', list(20, any)],
    [
      'additionalProperties',
      message(21, (value) =>
        typeof value === 'boolean' ? tagged(2, VARINT, varint(Number(value))) : bytes(1, schema(value)),
      ),
    ],
    ['type', message(22, (value) => bytes(1, Buffer.from(typeof value === 'string' ? value : '')))],
    ['items', message(23, (value) => bytes(1, schema(value)))],
    ['properties', message(25, (value) => named(1, value, schema))],
    ['example', message(30, any)],
  ]),
  31,
);

const bodyParameter = object(
  new Map<string, Field>([
    ['description', text(1)],
    ['name', text(2)],
    ['in', text(3)],
    ['required', flag(4)],
    ['schema', message(5, schema)],
  ]),
  6,
);
const queryParameter = object(
  new Map<string, Field>([
    ['required', flag(1)],
    ['in', text(2)],
    ['description', text(3)],
    ['name', text(4)],
    ['type', text(6)],
    ['uniqueItems', flag(20)],
  ]),
  23,
);
const pathParameter = object(
  new Map<string, Field>([
    ['required', flag(1)],
    ['in', text(2)],
    ['description', text(3)],
    ['name', text(4)],
    ['type', text(5)],
    ['uniqueItems', flag(19)],
  ]),
  22,
);

function parameter(value: Json): Uint8Array {
  const place = isObject(value) ? value.in : undefined;
  if (place === 'body') return bytes(1, bytes(1, bodyParameter(value)));
  return bytes(1, bytes(2, place === 'path' ? bytes(4, pathParameter(value)) : bytes(3, queryParameter(value))));
}

const response = object(
  new Map<string, Field>([
    ['description', text(1)],
    ['schema', message(2, (value) => bytes(1, schema(value)))],
  ]),
  5,
);
const operation = object(
  new Map<string, Field>([
    ['tags', texts(1)],
    ['description', text(3)],
    ['operationId', text(5)],
    ['produces', texts(6)],
    ['consumes', texts(7)],
    ['parameters', list(8, parameter)],
    ['responses', message(9, (value) => named(1, value, (one) => bytes(1, response(one))))],
    ['schemes', texts(10)],
  ]),
  13,
);
const pathItem = object(
  new Map<string, Field>([
    ['get', message(2, operation)],
    ['put', message(3, operation)],
    ['post', message(4, operation)],
    ['delete', message(5, operation)],
    ['patch', message(8, operation)],
    ['parameters', list(9, parameter)],
  ]),
  10,
);
const apiKey = object(
  new Map<string, Field>([
    ['type', text(1)],
    ['name', text(2)],
    ['in', text(3)],
    ['description', text(4)],
  ]),
  5,
);
const writeDocument = object(
  new Map<string, Field>([
    ['swagger', text(1)],
    [
      'info',
      message(
        2,
        object(
          new Map<string, Field>([
            ['title', text(1)],
            ['version', text(2)],
          ]),
          7,
        ),
      ),
    ],
    ['paths', message(8, (value) => named(2, value, pathItem))],
    ['definitions', message(9, (value) => named(1, value, schema))],
    ['security', list(12, (value) => named(1, value, (scopes) => texts(1)[1](scopes) ?? new Uint8Array()))],
    ['securityDefinitions', message(13, (value) => named(1, value, (one) => bytes(2, apiKey(one))))],
  ]),
  16,
);

/** The protobuf bytes of a Swagger document. */
export function writeOpenApiV2(document: JsonObject): Uint8Array {
  return writeDocument(document);
}
