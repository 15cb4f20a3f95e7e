/**
 * directory-lock: makes a process the only user of a directory, by a unix socket in it. Takes the path; gives a lock to
 * release, or a Fault STORE_LOCKED that names the holder. A process that dies never leaves its lock behind.
 */
export { lockDirectory, type DirectoryLock } from './directory-lock.js';
