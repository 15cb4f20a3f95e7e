import type { JsonObject } from '../../model/json/index.js';
import type { Tree } from '../../model/formats/index.js';

/** What a config management plugin is asked to do. */
export interface PluginRequest {
  /** One of the names that `--tool` gives. */
  readonly name: string;
  readonly tree: Tree;
  /** Whose turn it is, of those who share the programs. */
  readonly project: string;
  /** The folder of the application in the tree. */
  readonly path: string;
  /** `spec.source.plugin`. */
  readonly plugin: JsonObject;
  /** The build environment: ARGOCD_APP_NAME and the others. */
  readonly environment: ReadonlyMap<string, string>;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
}
