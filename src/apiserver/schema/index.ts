/**
 * schema: CONTRACT.
 */
export { checkBodyKind, summary, unrecognized } from './body-kind.js';
export { builtinSchema, kindPosition, namedSchema } from './compile.js';
export { DecodeError } from './decode-error.js';
export { decode, decodeKind } from './decode.js';
export { REF_PREFIX, openApiName, openApiSchemas } from './openapi-schema.js';
export { protobufFields, type ProtobufField, type ProtobufFields } from './protobuf-fields.js';
export { discoveryTable, type NodeRow, type ResourceRow, typeTable } from './table.js';
export { fillZeros } from './zero-value.js';
