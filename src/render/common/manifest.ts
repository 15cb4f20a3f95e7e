import type { KubeObject } from '../../model/kubernetes/index.js';

/**
 * Where an object was written: the file inside the repository or the chart, and the line its document starts at, from
 * 1.
 */
export interface Origin {
  readonly file: string;
  readonly line: number;
  /** The repository, where it is not the source's own. */
  readonly repository?: string;
}

/** One rendered object. */
export interface Manifest {
  readonly object: KubeObject;
  readonly origin: Origin;
  /** The document as the tool prints it. */
  readonly text?: string;
}
