import { protobufTable, typeTable, type NodeRow, type NumberRow } from './table.js';

/** What a field number of a message stands for. */
export type ProtobufField =
  | {
      readonly is: 'value';
      readonly name: string;
      readonly node: NodeRow;
      /** A list that is one message with its elements under number 1. */
      readonly wrapped: boolean;
    }
  /** A message whose fields JSON has in the one around it. */
  | { readonly is: 'inline'; readonly fields: ProtobufFields };

export type ProtobufFields = ReadonlyMap<number, ProtobufField>;

const compiled = new Map<number, ProtobufFields>();

/** The fields of a type, by its position in the table of types. */
export function protobufFields(index: number): ProtobufFields {
  let fields = compiled.get(index);
  if (fields === undefined) {
    fields = readFields(index);
    compiled.set(index, fields);
  }
  return fields;
}

function readFields(index: number): ProtobufFields {
  const table = typeTable();
  const names = Object.entries(table.types[index]?.p ?? {}).values();
  const read = (numbers: readonly NumberRow[]): ProtobufFields => {
    const fields = new Map<number, ProtobufField>();
    for (const number of numbers) {
      if (typeof number !== 'number') {
        const [own, ...inner] = number;
        fields.set(own, { is: 'inline', fields: read(inner) });
        continue;
      }
      const next = names.next();
      const node = next.done === true ? undefined : table.nodes[next.value[1]];
      if (next.done === true || node === undefined)
        throw new RangeError(`schema table: type ${index} has more numbers than fields`);
      if (number !== 0) fields.set(Math.abs(number), { is: 'value', name: next.value[0], node, wrapped: number < 0 });
    }
    return fields;
  };
  const numbers = protobufTable()[index];
  return numbers === undefined || numbers === 0 ? new Map() : read(numbers);
}
