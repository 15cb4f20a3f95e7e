/**
 * private-directory: the data directory belongs to its user alone. Takes a directory; creates it, or takes away the
 * rights that an older version gave to others. Leaves alone what is not ours.
 */
export { openPrivateDirectory } from './private-directory.js';
