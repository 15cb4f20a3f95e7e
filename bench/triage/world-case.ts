import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json/index.js';
import { keyText, splitApiVersion } from '../../src/model/kubernetes/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';

/** A fault as its label tells it: any of the objects names it. */
export interface LabelledFault {
  readonly name: string;
  readonly isHeldOut: boolean;
  readonly keys: ReadonlySet<string>;
  /** Namespaces that its roots are in. */
  readonly namespaces: readonly string[];
}

export interface WorldCase {
  readonly folder: string;
  readonly seed: number;
  readonly faults: readonly LabelledFault[];
}

const objects = (value: Json | undefined): JsonObject[] => (isArray(value) ? value.filter(isObject) : []);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function keyOf(object: JsonObject): string {
  return keyText({
    group: splitApiVersion(text(object.apiVersion)).group,
    kind: text(object.kind),
    namespace: text(object.namespace),
    name: text(object.name),
  });
}

/** What is true of a fault world. */
export function readCase(folder: string): WorldCase {
  const label = readOneYaml(readFileSync(join(folder, 'label.yaml'), 'utf8'), { dialect: 'kubernetes' });
  const faults = isObject(label) ? objects(label.faults) : [];
  return {
    folder,
    seed: isObject(label) && typeof label.seed === 'number' ? label.seed : 0,
    faults: faults.map((fault) => {
      const named = objects(fault.roots).flatMap((root) => [root.object, ...objects(root.also)].filter(isObject));
      return {
        name: text(fault.fault),
        isHeldOut: fault.isHeldOut === true,
        keys: new Set(named.map(keyOf)),
        namespaces: [...new Set(named.map(({ namespace }) => text(namespace)).filter((name) => name !== ''))],
      };
    }),
  };
}
