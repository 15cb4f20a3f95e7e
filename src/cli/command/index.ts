/**
 * command: CONTRACT.
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
export { plainDuration, splitPair } from './flag-values.js';
export { logSettings, openLog, withLogFlags, type LogFlags } from './log-flags.js';
export { collect, collectMany, openGroup, outputOption, type SessionGroup } from './session-group.js';
export { collectList, type ValuesFlags, withValuesFlags } from './values-flags.js';
