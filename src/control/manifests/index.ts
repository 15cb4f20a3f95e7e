/**
 * manifests: from the sources of an application to manifests. Takes sources, revisions and the facts of the
 * destination; gives rendered manifests with their origins, from a cache, from worker processes with limits, and
 * with checked signatures. Never reads the destination cluster.
 */
export { archiveTree } from './archive-tree.js';
export { checkSignatures } from './check-signatures.js';
export { isPlainDirectory } from './plain-directory.js';
export {
  describeFirstSource,
  renderManifests,
  renderTree,
  resolveSources,
  traceValues,
  type RenderedManifests,
  type Renderer,
} from './render-manifests.js';
export { RenderPool } from './render-pool.js';
