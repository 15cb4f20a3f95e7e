/**
 * tools: programs that an administrator chose (jsonnet, config management plugins, a real helm), run on a tree.
 * Takes names and paths from process flags only; what a repository or an Application says can choose a name, never a
 * path.
 * Each run sees a private copy of the tree and almost no environment, has a time and an output limit, is ended with all
 * its children, and leaves nothing behind, not even after a crash. Never starts a shell by itself.
 */
export { Tools, type ToolsOptions, type ToolRun, type ToolResult } from './tools.js';
export { TOOL_LIMITS, type ToolLimits } from './sandbox/index.js';
export { evaluateJsonnet } from './jsonnet/index.js';
export { runPlugin, discoverPlugin, type PluginRequest } from './plugin/index.js';
