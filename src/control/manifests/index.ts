/**
 * manifests: CONTRACT.
 */
export { checkSignatures, type SignatureCheck } from './check-signatures.js';
export { isPlainDirectory } from './plain-directory.js';
export {
  describeFirstSource,
  renderManifests,
  renderTree,
  resolveSources,
  traceValues,
  type RenderManifestsRequest,
  type RenderedManifests,
  type RenderedSource,
  type Renderer,
} from './render-manifests.js';
export { RenderPool, type RenderPoolOptions } from './render-pool.js';
