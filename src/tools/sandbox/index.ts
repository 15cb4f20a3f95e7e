/**
 * sandbox: CONTRACT.
 */
export { exportTree } from './export-tree.js';
export { TOOL_LIMITS, type ToolLimits } from './limits.js';
export { runProgram, type ProgramResult } from './run-program.js';
export { Scratch, type PrivateFolder } from './scratch.js';
export { findFile, folderAt, type FoundFile } from './tree-walk.js';
