import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';

export type Domain = 'foundation' | 'data' | 'platform' | 'apps';

/** Something that runs in every environment: one Application in each. */
export interface Component {
  readonly domain: Domain;
  readonly name: string;
  /** A folder below `charts`, or how it is kept for Kustomize. */
  readonly source:
    | { readonly kind: 'helm'; readonly chart: string }
    | { readonly kind: 'kustomize'; readonly content: 'service' | 'config' };
  /** What all environments share. */
  readonly values: JsonObject;
  /** What its chart wants from the key vault beside what the values say. */
  readonly keys?: readonly string[];
}

/** A Secret that comes from the key vault, by its keys and their names there. */
export function fromVault(name: string, keys: Readonly<Record<string, string>>): JsonObject {
  return { name, keys: { ...keys } };
}

/** Every name of the key vault that a component reads. */
export function vaultKeys({ values, keys = [] }: Component): string[] {
  const secrets = isArray(values.secrets) ? values.secrets.filter(isObject) : [];
  return [
    ...keys,
    ...secrets
      .flatMap((secret) => (isObject(secret.keys) ? Object.values(secret.keys) : []))
      .filter((name) => typeof name === 'string'),
  ];
}
