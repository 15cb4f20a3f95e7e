import { own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { toBytes } from './text.js';
import { LuaTable, type LuaValue, type Meter, type TableSource } from './value.js';

/**
 * JSON as Lua values. Objects and lists become tables that read the JSON when a script asks; only what it touches is
 * converted, and the JSON itself is never changed.
 */
export function fromJson(value: Json | undefined, meter: Meter): LuaValue {
  switch (typeof value) {
    case 'string':
      return toBytes(value);
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return Number(value);
    case 'object': {
      if (value === null) return undefined;
      const table = new LuaTable(meter);
      table.source = Array.isArray(value) ? new ListSource(value) : new ObjectSource(value, meter);
      return table;
    }
    default:
      return undefined;
  }
}

class ObjectSource implements TableSource {
  constructor(
    private readonly json: JsonObject,
    private readonly meter: Meter,
  ) {}

  get(key: string): LuaValue {
    return fromJson(read(this.json, key), this.meter);
  }

  fill(table: LuaTable): void {
    for (const key of Object.keys(this.json)) {
      const value = fromJson(own(this.json, key), this.meter);
      if (value !== undefined) table.addKey(toBytes(key), value);
    }
  }
}

/**
 * The same as own(), which costs a quarter of a check: what an object inherits are functions, which JSON never holds,
 * and `__proto__`.
 */
function read(json: Readonly<Record<string, Json | undefined>>, key: string): Json | undefined {
  const value: unknown = json[key];
  return typeof value === 'function' || key === '__proto__' ? own(json, key) : (value as Json | undefined);
}

class ListSource implements TableSource {
  constructor(private readonly json: JsonArray) {}

  get(): LuaValue {
    return undefined;
  }

  /** Nulls are left out, so what follows moves up: Argo CD appends the items one by one. */
  fill(table: LuaTable): void {
    const array: LuaValue[] = [];
    for (const item of this.json) {
      const value = fromJson(item, table.meter);
      if (value !== undefined) array.push(value);
    }
    table.meter.chargeMemory(16 * array.length);
    table.array = array;
  }
}
