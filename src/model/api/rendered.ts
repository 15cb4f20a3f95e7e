/** `GET /api/v1/applications/{name}/manifests`: what git says as JSON, and beside each the file and line it came from. Secrets are masked. */
export interface ManifestsAnswer {
  readonly manifests: readonly string[];
  readonly origins: readonly string[];
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
