/**
 * render: a tree in memory and a source's settings in, manifests with their origin out.
 * Gives what `helm template`, `kustomize build` or the plain files give, or a list of what it still needs to see.
 * Never does I/O, never reads the clock or chance: they come in as arguments. A hostile repository ends in a fault of its own
 * application: paths cannot leave the tree, and templates run within a budget.
 */
export { renderSource, type Dependencies, type RenderResult } from './render-source.js';
export { RenderCache, type RenderCacheOptions } from './render-cache.js';
export { type RenderRequest, type Rendered, type RenderOutcome, type SourceType } from './request.js';
export { type Manifest, type Origin } from './manifest.js';
export { type Need, needKey } from './needs.js';
export { TreeReader } from './tree-reader.js';
