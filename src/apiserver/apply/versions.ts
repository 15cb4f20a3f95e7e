import type { FieldSet, KubeObject, Schema } from '../../model/kubernetes/index.js';
import { compareShaped } from './compare.js';
import { shapeOf, type Shape } from './shape.js';

/** A version in which an object can be read. */
export interface VersionConversion {
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
  readonly subresource?: string | undefined;
  /** Fields that this endpoint sets back to what they were, so that nobody owns them through it. */
  readonly resetFields?: FieldSet | undefined;
  /** Other versions of the kind, for entries written in them. Entries of versions not known here are dropped. */
  readonly versions?: ((apiVersion: string) => VersionConversion | undefined) | undefined;
}

/** A view of the objects of one request in one version. */
export interface VersionedShape {
  readonly shape: Shape;
  to(object: KubeObject): KubeObject;
  back(object: KubeObject): KubeObject;
}

export class VersionedShapes {
  readonly #views = new Map<string, VersionedShape | undefined>();
  /** The version of the request. */
  readonly own: VersionedShape;

  constructor(readonly scope: WriteScope) {
    this.own = { shape: shapeOf(scope.schema), to: same, back: same };
    this.#views.set(scope.apiVersion, this.own);
  }

  at(apiVersion: string): VersionedShape | undefined {
    if (!this.#views.has(apiVersion)) this.#views.set(apiVersion, this.#make(apiVersion));
    return this.#views.get(apiVersion);
  }

  #make(apiVersion: string): VersionedShape | undefined {
    const { scope } = this;
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

/** The fields that a write added or changed, and those it removed. */
export interface ChangedFields {
  readonly set: FieldSet;
  readonly removed: FieldSet;
}

/** What a write changed, in each version that a manager uses; computed once per version. */
export class Comparisons {
  readonly #known = new Map<string, ChangedFields>();

  constructor(
    readonly shapes: VersionedShapes,
    readonly before: KubeObject,
    readonly after: KubeObject,
  ) {}

  at(apiVersion: string, view: VersionedShape): ChangedFields {
    let touched = this.#known.get(apiVersion);
    if (touched === undefined) {
      touched = this.#compare(view);
      this.#known.set(apiVersion, touched);
    }
    return touched;
  }

  #compare(view: VersionedShape): ChangedFields {
    const { added, modified, removed } = compareShaped(view.to(this.before), view.to(this.after), view.shape);
    const reset = this.shapes.scope.resetFields;
    const set = modified.union(added);
    return reset === undefined
      ? { set, removed: removed }
      : { set: set.recursiveDifference(reset), removed: removed.recursiveDifference(reset) };
  }
}
