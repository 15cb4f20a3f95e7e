import type { FieldSet, KubeObject, Schema } from '../../model/index.js';
import { compareShaped, type Comparison } from './compare.js';
import { shapeOf, type Shape } from './shape.js';

/** A version in which an object can be seen. */
export interface VersionView {
  readonly schema: Schema;
  /** From the version of the request to this one; absent where only apiVersion differs. */
  convert?(object: KubeObject): KubeObject;
  /** From this one to the version of the request. */
  convertBack?(object: KubeObject): KubeObject;
}

/** The kind and version that a request writes, and what it may own there. */
export interface WriteScope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: Schema;
  /** Empty for the object itself, else `status`, `scale`, ... */
  readonly subresource?: string;
  /** Fields that this endpoint sets back to what they were, so that nobody owns them through it. */
  readonly resetFields?: FieldSet;
  /** Other versions of the kind, for entries written in them. Entries of versions not known here are dropped. */
  readonly versions?: (apiVersion: string) => VersionView | undefined;
}

/** A view of the objects of one request in one version. */
export interface View {
  readonly shape: Shape;
  to(object: KubeObject): KubeObject;
  back(object: KubeObject): KubeObject;
}

export class Views {
  readonly #views = new Map<string, View | undefined>();

  constructor(readonly scope: WriteScope) {}

  at(apiVersion: string): View | undefined {
    if (!this.#views.has(apiVersion)) this.#views.set(apiVersion, this.#make(apiVersion));
    return this.#views.get(apiVersion);
  }

  #make(apiVersion: string): View | undefined {
    const { scope } = this;
    if (apiVersion === scope.apiVersion) return { shape: shapeOf(scope.schema), to: same, back: same };
    const version = scope.versions?.(apiVersion);
    if (version === undefined) return undefined;
    return {
      shape: shapeOf(version.schema),
      to: (object) => version.convert?.(object) ?? { ...object, apiVersion },
      back: (object) => version.convertBack?.(object) ?? { ...object, apiVersion: scope.apiVersion },
    };
  }
}

function same(object: KubeObject): KubeObject {
  return object;
}

/** What a write changed, seen in each version that a manager speaks; computed once per version. */
export class Comparisons {
  readonly #known = new Map<string, Comparison>();

  constructor(readonly views: Views, readonly before: KubeObject, readonly after: KubeObject) {}

  at(apiVersion: string, view: View): Comparison {
    let comparison = this.#known.get(apiVersion);
    if (comparison === undefined) {
      comparison = withoutFields(compareShaped(view.to(this.before), view.to(this.after), view.shape), this.views.scope.resetFields);
      this.#known.set(apiVersion, comparison);
    }
    return comparison;
  }
}

function withoutFields(comparison: Comparison, fields: FieldSet | undefined): Comparison {
  if (fields === undefined) return comparison;
  return {
    added: comparison.added.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
    removed: comparison.removed.recursiveDifference(fields),
  };
}
