import type { JsonObject } from '../../model/json/index.js';
import type { Tree } from '../../model/formats/index.js';
import type { FunctionHost } from '../helm/index.js';
import type { Manifest, Need } from '../common/index.js';

export type SourceType = 'Helm' | 'Kustomize' | 'Directory' | 'Plugin';

/** A base that was fetched for a kustomization: a repository at a commit, or one file. */
export type FetchedBase =
  | { readonly kind: 'tree'; readonly tree: Tree }
  | { readonly kind: 'file'; readonly text: string };

/** Everything that one render may look at. Plain data but for the host, so that it can go to a worker. */
export interface RenderRequest {
  readonly tree: Tree;
  /** The `spec.source` as the Application has it; files named .argocd-source in the tree may add to it. */
  readonly source: JsonObject;
  /** Trees of the other sources that have a `ref`, by that name. */
  readonly refs: ReadonlyMap<string, Tree>;
  readonly application: { readonly name: string; readonly namespace: string; readonly project: string };
  /** Where the objects go; Helm's namespace unless the source says another. */
  readonly destinationNamespace: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  /** The archive, where the source is a chart of a chart repository. */
  readonly chart?: { readonly bytes: Uint8Array; readonly id: string };
  /** What earlier renders of this source asked for, by `needKey`. */
  readonly fetched: ReadonlyMap<string, Uint8Array>;
  /** Bases of Kustomize from elsewhere, by the address as it is written. */
  readonly bases?: ReadonlyMap<string, FetchedBase>;
  /** Ways to render that the administrator switched off: such folders are plain files. */
  readonly disabled?: readonly SourceType[];
  /** Clock and randomness for templates that ask for them. */
  readonly host: FunctionHost;
}

export interface Rendered {
  readonly kind: 'rendered';
  readonly type: SourceType;
  readonly manifests: readonly Manifest[];
  readonly warnings: readonly string[];
}

export type RenderOutcome = Rendered | { readonly kind: 'needs'; readonly needs: readonly Need[] };
