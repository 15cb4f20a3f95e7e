import type { KubeObject } from '../kubernetes/index.js';

/**
 * `GET /api/v1/applications/{name}/rendered`: what git says, each object with the file and line it came from. Secrets
 * are masked.
 */
export interface RenderedResponse {
  readonly revisions: readonly string[];
  readonly manifests: readonly { readonly origin: string; readonly wave: number; readonly object: KubeObject }[];
}

/** `GET /api/v1/applications/{name}/values`: the values that the templates of a chart see, and who set them. */
export interface ValuesResponse {
  readonly values: readonly ValueView[];
}

export interface ValueView {
  readonly path: string;
  /** As JSON. */
  readonly value: string;
  readonly origin: string;
  /** What was set and lost, the weakest last. */
  readonly lost: readonly { readonly value: string; readonly origin: string }[];
}
