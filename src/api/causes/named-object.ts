import type { Key } from '../../model/kubernetes/index.js';

/** An object as causes name it. */
export interface NamedObject {
  readonly kind: string;
  /** Empty for one of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** `Kind namespace/name` or `Kind name`, as causes write it; undefined for another text. */
export function parseNamed(text: string): NamedObject | undefined {
  const [, kind, namespace = '', name] = /^(\S+) (?:([^/\s]+)\/)?([^/\s]+)$/.exec(text) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind, namespace, name };
}

export function objectText({ kind, namespace, name }: NamedObject | Key): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
