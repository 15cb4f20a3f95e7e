/**
 * install: the commands `install`, `upgrade`, `uninstall` and `doctor`: an installation of Argosy in a cluster. Takes
 * the program and the host; gives manifests, or applies them with the rights of whoever calls. Objects of users are
 * never deleted.
 */
export { addDoctor, addInstall, addUninstall, addUpgrade } from './command.js';
