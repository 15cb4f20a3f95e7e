import type { FieldError } from '../errors/index.js';

/** What of the way down matters for a node. */
export interface SchemaPlace {
  readonly path: string;
  readonly root: boolean;
  /** Why defaults are forbidden here. */
  readonly noDefaults: string | undefined;
  readonly insideMeta: boolean;
  /**
   * Where above the values of an old and a new object can no longer be paired; rules with oldSelf are forbidden below.
   */
  readonly unpaired: string | undefined;
  /** Inside of anyOf and the like, and where the schema has errors already, rules are not compiled. */
  readonly rules: boolean;
}

export interface SchemaErrors {
  readonly schema: FieldError[];
  readonly cel: FieldError[];
}
