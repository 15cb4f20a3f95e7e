import type { Json } from '../../../model/json/index.js';
import type { Loader } from '../load/loader.js';
import type { ResMap } from '../resource/res-map.js';
import type { Resource } from '../resource/resource.js';
import type { OpenApi } from '../schema/open-api.js';
import type { RenderChart } from './render-chart.js';

/** What a plugin may use while it is configured. */
export interface Helpers {
  readonly loader: Loader;
  readonly openApi: OpenApi;
  readonly renderChart: RenderChart | undefined;
}

export interface Transformer {
  transform(resources: ResMap): void;
}

export interface Generator {
  generate(): Resource[];
}

/** Makes a plugin of its configuration: of a field of the kustomization, or of a file that the kustomization lists. */
export type TransformerFactory = (config: Json, helpers: Helpers) => Transformer;
export type GeneratorFactory = (config: Json, helpers: Helpers) => Generator;
