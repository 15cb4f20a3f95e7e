import type { KubeObject } from '../object.js';

/**
 * `GET /api/v1/applications/{name}/rendered`: what git says, each object with the file and line it came from. Secrets
 * are masked.
 */
export interface RenderedAnswer {
  readonly revisions: readonly string[];
  readonly manifests: readonly { readonly origin: string; readonly wave: number; readonly object: KubeObject }[];
}

/** `GET /api/v1/applications/{name}/values`: the values that the templates of a chart see, and who set them. */
export interface ValuesAnswer {
  readonly values: readonly ToldValue[];
}

export interface ToldValue {
  readonly path: string;
  /** As JSON. */
  readonly value: string;
  readonly origin: string;
  /** What was set and lost, the weakest last. */
  readonly lost: readonly { readonly value: string; readonly origin: string }[];
}
