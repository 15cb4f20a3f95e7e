import type { Json } from '../../../model/json/index.js';
import type { TreeReader } from '../../common/index.js';

/** A chart that a kustomization inflates: in a folder of the same tree, or to be fetched. */
export interface ChartRequest {
  readonly chart:
    | { readonly kind: 'folder'; readonly reader: TreeReader; readonly path: string }
    | { readonly kind: 'remote'; readonly repository: string; readonly name: string; readonly version: string };
  readonly releaseName: string;
  readonly namespace: string;
  /**
   * The values instead of the chart's own; undefined means the chart's own file. `merge` and `override` say what
   * becomes of the chart's own values where both have one, and are only used for a chart that is not in the tree.
   */
  readonly values:
    | { readonly inline: Json; readonly merge: 'merge' | 'override' | 'replace' }
    | { readonly text: string }
    | undefined;
  /** Further values files, later ones over earlier ones. */
  readonly additionalValues: readonly { readonly file: string; readonly text: string }[];
  readonly includeCrds: boolean;
  readonly skipHooks: boolean;
  readonly skipTests: boolean;
  readonly apiVersions: readonly string[];
  readonly kubeVersion: string;
  readonly nameTemplate: string;
}

/** Renders a chart to what `helm template` prints. */
export type RenderChart = (request: ChartRequest) => string;
