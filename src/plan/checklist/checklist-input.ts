import type { Health, SyncStatus } from '../../model/argo/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/** One object of an application: as git wants it, and as the cluster has it where that is known. */
export interface CheckedObject {
  readonly key: Key;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  /** Empty for hooks, and where nobody compared. */
  readonly status: SyncStatus | '';
  readonly differences: readonly { readonly pointer: string; readonly owner: string }[];
  readonly health?: Health;
  /** The file and line. */
  readonly origin: string;
  /** The fields of a Secret that git gives a value, where its values are masked. */
  readonly secretFields?: readonly string[];
}

/** Why the objects of an application are not known. */
export interface UnknownObjects {
  readonly why: string;
  /** The manifests cannot be made: a controller would say so too. Otherwise they are only out of reach from here. */
  readonly isFailure: boolean;
  readonly where: string;
}

/** What a team calls right. */
export interface ChecklistPolicy {
  /** The branches that production may follow; the first is the one to write. */
  readonly branches: readonly string[];
  /** Text of the pages where patterns are explained; undefined where nobody named one. */
  readonly documentation?: string;
}

export interface ChecklistInput {
  readonly application: KubeObject;
  /** Whether it is one of a cluster, with a status; otherwise it was read from a file. */
  readonly isLive: boolean;
  readonly isProduction: boolean;
  /** Where the fields of the Application are written, by JSON pointer; empty where it is not from a file. */
  readonly places: ReadonlyMap<string, string>;
  readonly objects: readonly CheckedObject[];
  readonly unseen?: UnknownObjects;
  /** The project, where it is known. */
  readonly project?: KubeObject;
  /** The file and line of its spec, where it is from a file. */
  readonly projectPlace?: string;
  /** Objects that another application of the same folder makes too, and which. */
  readonly shared: readonly { readonly key: Key; readonly by: string }[];
  readonly policy: ChecklistPolicy;
}

export type LineState = 'holds' | 'fails' | 'accepted' | 'advised' | 'unchecked';

/** What a rule found out. Where it says nothing, the rule holds. */
export interface Finding {
  readonly state: LineState;
  readonly message: string;
  /** The Application itself unless told. */
  readonly object?: string;
  /** A JSON pointer in the object. */
  readonly field?: string;
  /** The file and line; that of the field in the Application unless told. */
  readonly where?: string;
  readonly remedy?: string;
  /** The exact text to add. */
  readonly add?: string;
}

export function objectName({ kind, namespace, name }: Key): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

export function isBelow(pointer: string, above: string): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}
