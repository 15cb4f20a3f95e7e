/**
 * account: CONTRACT.
 */
export { addAccount } from './command.js';
