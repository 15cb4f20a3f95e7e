/**
 * appset: CONTRACT.
 */
export { addAppset } from './command.js';
