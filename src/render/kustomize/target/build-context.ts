import type { JsonObject } from '../../../model/json/index.js';
import type { RenderChart } from '../plugin/render-chart.js';
import { readKustomization, type KustomizationFile } from '../kustomization/parse-kustomization.js';
import type { Loader } from '../load/loader.js';
import { parseRepoSpec } from '../load/repo-spec.js';
import type { BuildOrigin } from '../resource/origin.js';
import type { OpenApi } from '../schema/open-api.js';

/** What all kustomizations of a build share. */
export interface BuildContext {
  readonly openApi: OpenApi;
  readonly renderChart: RenderChart | undefined;
  /** Options of the outermost kustomization. */
  readonly buildMetadata: readonly string[];
  /** How many folders were entered, each time counted. */
  entered: number;
}

/** A kustomization file with the folder it is in. */
export interface Place extends KustomizationFile {
  readonly loader: Loader;
  /** How the build came here; undefined where nobody asked for origins. */
  readonly origin: BuildOrigin | undefined;
  /** The namespace of an outer kustomization, which charts are rendered for. */
  readonly chartNamespace: string;
}

export function readPlace(
  loader: Loader,
  outer: { origin: BuildOrigin | undefined; chartNamespace: string },
  change?: (raw: JsonObject) => void,
): Place {
  return { ...readKustomization(loader, change), loader, ...outer };
}

/** The origin of what a path leads to. */
export function originAt(origin: BuildOrigin, path: string): BuildOrigin {
  const spec = parseRepoSpec(path);
  if (spec === undefined) return { ...origin, path: joinPath(origin.path ?? '', path) };
  return { ...origin, repo: spec.repository, ref: spec.ref, path: joinPath('', spec.path) };
}

export function joinPath(root: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${root}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}
