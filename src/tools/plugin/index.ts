/**
 * plugin: config management plugins as Argo CD defines them. Takes a tree, parameters and a plugin's file; gives
 * manifests.
 * Commands name absolute paths or tools of the administrator, never a file of the repository.
 */
export type { PluginRequest } from './plugin-request.js';
export { discoverPlugin, runPlugin } from './run-plugin.js';
