/**
 * command: what commands have in common: the type of a command, groups with shared flags, switches as Go writes them,
 * values of flags, and the log of long-running commands. Takes and gives commander's values; never runs anything
 * itself.
 */
export type { AddCommand, ExitStatus } from './add-command.js';
export {
  OUTPUT_FORMATS,
  command,
  count,
  output,
  ownNamespace,
  toggle,
  type AppGroup,
  withInspectFlags,
} from './app-group.js';
export { collect, collectList, oneOf, plainDuration, splitPair, variable } from './flag-values.js';
export {
  checkFolders,
  collectFolders,
  commandRepositories,
  demoRepositories,
  FILE_REPOS_VARIABLE,
} from './file-repositories.js';
export { logSettings, openLog, withLogFlags, type LogFlags } from './log-flags.js';
export { openGroup, outputOption, type SessionGroup } from './session-group.js';
export { type ValuesFlags, withValuesFlags } from './values-flags.js';
export { asSentence, remedyFor } from './remedy.js';
