/**
 * sandbox: runs one program on a private copy of a tree. Takes a program, arguments and limits; gives its output or a
 * Fault. Ends it with all its children, and leaves nothing behind, not even after a crash.
 */
export { exportTree } from './export-tree.js';
export { TOOL_LIMITS, type ToolLimits } from './limits.js';
export { runProgram, type ProgramResult } from './run-program.js';
export { Scratch, type PrivateFolder } from './scratch.js';
export { findFile, folderAt, type FoundFile } from './tree-walk.js';
