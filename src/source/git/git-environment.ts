import type { SourceDependencies } from '../common/index.js';
import type { GitFolder } from './git-folder.js';

/**
 * All that a git process knows of the outside. Nothing of the user's settings, no prompts, no hooks, no lazy fetches,
 * English messages; no value here is a secret.
 */
export function gitEnvironment(world: SourceDependencies, folder: GitFolder): Record<string, string> {
  const { environment } = world;
  const kept = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_EXEC_PATH'];
  return {
    ...Object.fromEntries(kept.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]))),
    HOME: folder.home,
    XDG_CONFIG_HOME: folder.home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_SSH: '/bin/false',
    GIT_SSH_VARIANT: 'ssh',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ADVICE: '0',
  };
}
