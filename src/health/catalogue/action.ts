import type { KubeObject } from '../../model/kubernetes/index.js';

/** What a user can do with an object now. */
export interface Action {
  readonly name: string;
  readonly disabled: boolean;
  readonly displayName?: string;
  readonly iconClass?: string;
  readonly params: readonly ActionParameter[];
}

export interface ActionParameter {
  readonly name: string;
  readonly default?: string;
}

/**
 * What an action wants done in the cluster. A patch is the object as it shall be, and is always the object acted on; so
 * is that of which something is created at a subresource.
 */
export interface Impact {
  readonly operation: 'create' | 'patch';
  readonly resource: KubeObject;
  /** Of the object acted on: what is created is posted there. */
  readonly subresource?: string;
}

/** Values that a user gave, as text. */
export type Arguments = Readonly<Record<string, string>>;
