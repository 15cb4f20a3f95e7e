import type { GoObject } from '../template/value/go-value.js';
import type { ChartFile } from './chart-file.js';
import type { Metadata } from './metadata.js';

/** A chart as it was loaded. Nothing in it ever changes, so that it can be kept and shared. */
export interface Chart {
  readonly metadata: Metadata;
  /** Chart.yaml itself, for origins. */
  readonly file: ChartFile;
  readonly values: GoObject;
  readonly valuesFile: ChartFile | undefined;
  readonly schema: ChartFile | undefined;
  readonly templates: readonly ChartFile[];
  /** Everything that is neither metadata, values, template nor subchart. */
  readonly files: readonly ChartFile[];
  /** The subcharts in `charts/`. */
  readonly dependencies: readonly Chart[];
  /** Versions that Chart.lock or requirements.lock fixes, by name. */
  readonly locked: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}
