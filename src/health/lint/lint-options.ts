import type { Health } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

export interface LintOptions {
  /** Whether the check has Lua's string, math and other libraries (`useOpenLibs`). */
  readonly openLibs?: boolean;
  /** Runs a script on an object as Argo CD would; may throw. Without it, scripts are only read. */
  readonly evaluate?: (
    source: string,
    object: KubeObject,
    options: { readonly openLibs: boolean },
  ) => Health | undefined;
  /** Another opinion on the same object, such as the catalogue's; tells whether an object of a kind has failed. */
  readonly reference?: (object: KubeObject) => Health | undefined;
  /** Line and column, from 1, at which the script's first character stands in its file. */
  readonly origin?: { readonly line: number; readonly column: number };
  /** The settings key that holds the script. */
  readonly key?: string;
}
