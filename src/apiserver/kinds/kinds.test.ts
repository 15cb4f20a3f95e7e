import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '../../model/patch/index.js';
import { clone, isObject, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import type { FieldError } from '../errors/api-error.js';
import { builtinTypes, type BuiltinType } from './builtin-types.js';
import { decodeKind } from '../schema/decode.js';
import { BUILTIN_STRATEGIES } from './builtin-strategies.js';
import type { BuiltinKind } from '../resources/builtin-kind.js';
import { allocateServiceAddresses } from './networking/service-addresses.js';

/**
 * Each case was played on a real kube-apiserver 1.34.4 without admission: create `create`, then PUT it merged with
 * `update`, then PUT `status` to the status subresource. `expect.json` is what came back: the object, or the causes.
 */
const CASES = join(import.meta.dirname, 'cases');
const NOW = new Date('2026-01-01T00:00:00Z');
const NETWORK = { cidr: '10.0.0.0/24', nodePorts: [30000, 32767] as const };
const TAKEN = { clusterIPs: new Set(['10.0.0.1']), nodePorts: new Set<number>() };

function typeOf(object: { apiVersion: string; kind: string }): BuiltinType {
  const { group, version } = splitApiVersion(object.apiVersion);
  const type = builtinTypes().find((one) => one.group === group && one.version === version && one.kind === object.kind);
  if (type === undefined) throw new Error(`no type for ${object.apiVersion} ${object.kind}`);
  return type;
}

function decoded(value: JsonObject): KubeObject {
  return decodeKind(value, typeOf(value as KubeObject)).object;
}

class Refused extends Error {
  constructor(readonly errors: FieldError[]) {
    super(errors.map((error) => `${error.field}: ${error.detail}`).join('; '));
  }
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw new Refused(errors);
}

class ServedKinds {
  readonly kind: BuiltinKind;
  readonly type: BuiltinType;

  constructor(given: KubeObject) {
    this.type = typeOf(given);
    this.kind = BUILTIN_STRATEGIES.get(`${this.type.group}/${this.type.kind}`)!;
  }

  /** As a reader of another version sees it; of the same one, after a trip through the store. */
  readAs(object: KubeObject, apiVersion = object.apiVersion): KubeObject {
    const kept =
      this.kind.conversion?.apiVersion === object.apiVersion ? this.kind.conversion.toStored(clone(object)) : object;
    const other = typeOf({ apiVersion, kind: object.kind });
    const { conversion } = BUILTIN_STRATEGIES.get(`${other.group}/${other.kind}`)!;
    return decoded(
      conversion?.apiVersion === apiVersion ? conversion.fromStored(clone(kept)) : { ...kept, apiVersion },
    );
  }

  create(given: KubeObject): KubeObject {
    const { strategy } = this.kind;
    const object = decoded(clone(given));
    Object.assign(object.metadata, {
      uid: 'UID',
      creationTimestamp: NOW.toISOString().replace('.000', ''),
      ...(this.type.namespaced ? { namespace: 'cases' } : {}),
    });
    if (strategy.generation === true) object.metadata.generation = 1;
    strategy.defaults?.(object);
    strategy.prepareCreate?.(object);
    if (object.kind === 'Service') refuse(allocateServiceAddresses(object, undefined, TAKEN, NETWORK));
    refuse(strategy.validate?.(object) ?? []);
    return this.readAs(object);
  }

  update(previous: KubeObject, patch: Json, subresource: boolean): KubeObject {
    const { strategy } = this.kind;
    const next = decoded(applyMergePatch(clone(previous), patch));
    if (strategy.generation === true) next.metadata.generation = 1;
    strategy.defaults?.(next);
    if (subresource) {
      next.spec = previous.spec;
      strategy.prepareStatusUpdate?.(next, previous);
      refuse(strategy.validateStatusUpdate?.(next, previous) ?? []);
    } else {
      strategy.prepareUpdate?.(next, previous);
      if (next.kind === 'Service') refuse(allocateServiceAddresses(next, previous, TAKEN, NETWORK));
      refuse(strategy.validateUpdate?.(next, previous) ?? []);
    }
    return this.readAs(next);
  }
}

/** What differs between two runs of the same case: ages, addresses that the server chose. */
function mask(value: Json, given: KubeObject): Json {
  const text = JSON.stringify(value).replace(/10\.0\.0\.\d+/g, (address) =>
    JSON.stringify(given).includes(address) ? address : 'ADDRESS',
  );
  const masked = parseJson(text) as JsonObject;
  const ports = isObject(masked.spec) && Array.isArray(masked.spec.ports) ? (masked.spec.ports as JsonObject[]) : [];
  for (const port of ports)
    if (typeof port.nodePort === 'number' && !JSON.stringify(given).includes(String(port.nodePort))) port.nodePort = 0;
  if (isObject(masked.spec) && masked.spec.healthCheckNodePort !== undefined) masked.spec.healthCheckNodePort = 0;
  return masked;
}

function cells(served: ServedKinds, object: KubeObject, given: KubeObject): Json {
  return served.kind.columns.map((column) => {
    const cell = column.cell(object, NOW);
    const printed = typeof cell === 'string' && /^\d+[smhd](\d+[smh])?$/.test(cell) ? 'AGE' : cell;
    return [
      column.name,
      column.type,
      column.format ?? '',
      column.priority,
      typeof printed === 'string' && column.type === 'date' ? 'TIME' : maskCell(printed, given),
    ];
  });
}

function maskCell(cell: Json, given: KubeObject): Json {
  if (typeof cell !== 'string') return cell;
  const known = JSON.stringify(given);
  return cell
    .replace(/10\.0\.0\.\d+/g, (found) => (known.includes(found) ? found : 'ADDRESS'))
    .replace(/:(3\d{4})\//g, (found, port: string) => (known.includes(port) ? found : ':PORT/'))
    .replace('UID', 'UID');
}

function play(given: JsonObject): JsonObject {
  const create = given.create as KubeObject;
  const served = new ServedKinds(create);
  let object: KubeObject;
  let step = 'create';
  try {
    object = served.create(create);
    if (given.update !== undefined) {
      step = 'update';
      object = served.update(object, given.update, false);
    }
    if (given.status !== undefined) {
      step = 'status';
      object = served.update(object, { status: given.status }, true);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { step, causes: error.errors.map(({ type, detail, field }) => ({ reason: type, message: detail, field })) };
  }
  const printed = served.readAs(object, typeof given.as === 'string' ? given.as : object.apiVersion);
  return { object: mask(printed, create), ...(given.table === true ? { table: cells(served, object, create) } : {}) };
}

describe('built-in kinds behave as on the real server', () => {
  for (const name of readdirSync(CASES)) {
    it(name.replaceAll('-', ' '), () => {
      const given = readOneYaml(readFileSync(join(CASES, name, 'given.yaml'), 'utf8'), {
        dialect: 'kyaml',
      }) as JsonObject;
      const wanted = parseJson(readFileSync(join(CASES, name, 'expect.json'), 'utf8')) as JsonObject;
      const found = play(given);
      if (isObject(wanted.object)) wanted.object = mask(decoded(wanted.object), given.create as KubeObject);
      expect(found).toEqual(wanted);
    });
  }
});
