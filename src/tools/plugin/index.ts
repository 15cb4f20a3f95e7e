/**
 * plugin: CONTRACT.
 */
export type { PluginRequest } from './plugin-request.js';
export { discoverPlugin, runPlugin } from './run-plugin.js';
