/**
 * access: CONTRACT.
 */
export {
  checkHooks,
  hasHooksToCheck,
  type HookCheckInput,
  type HookFinding,
  type ResourceName,
} from './check-hooks.js';
