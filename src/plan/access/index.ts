/**
 * access: whether the ServiceAccount of a hook may do what its command does, by the roles that exist when it runs.
 * Takes targets and live roles; gives findings with the role to add. Never asks a cluster and runs no command.
 */
export {
  checkHooks,
  hasHooksToCheck,
  type HookCheckInput,
  type HookFinding,
  type ResourceName,
} from './check-hooks.js';
