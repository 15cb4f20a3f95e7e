/**
 * protobuf: the wire format, without any message of its own. Reads and writes tags, numbers and bytes, and the types of
 * Kubernetes that have a JSON form of their own (times, quantities, raw objects). Takes bytes or JSON values; gives the
 * other, or a WireError in the words of Go's decoder.
 */
export { OWN_READERS } from './own-readers.js';
export { OWN_WRITERS } from './own-writers.js';
export { WIRE, Wire, WireError } from './wire.js';
export { WireWriter } from './wire-writer.js';
