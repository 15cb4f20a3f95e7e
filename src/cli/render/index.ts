/**
 * render: the `render` and `values` commands: what a chart, a kustomization or a folder gives, and where each value
 * comes from. Takes local paths; prints manifests or values. Never uses the network or a cluster.
 */
export { addRender } from './command.js';
export { addValues } from './values-command.js';
