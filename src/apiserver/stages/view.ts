import type { CelProgram } from '../cel/index.js';
import type { ResourceType } from '../resources/index.js';
import type { Template } from './templates.js';

/**
 * A kind that can be read and not written: each of its objects is made from an object of another kind. So an API that
 * computes its answers (`stream:tag` of an ImageStream) is data as well.
 */
export interface View {
  readonly file: string;
  /** What it is served as. */
  readonly type: ResourceType;
  /** The kind that it shows. */
  readonly of: { readonly group: string; readonly kind: string };
  /** Over `self`: a list with one `item` for each object. */
  readonly each: CelProgram;
  /** Over `self` and `item`. */
  readonly object: Template;
}
