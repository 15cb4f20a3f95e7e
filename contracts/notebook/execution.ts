import { execFileSync } from 'node:child_process';

/** Why notebooks cannot be executed on this machine. */
export function executionMissing(): string | undefined {
  try {
    execFileSync('python3', ['-c', ''], { stdio: 'ignore' });
    execFileSync('unshare', ['--user', '--map-root-user', '--mount', 'true'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'skipped: python3 in a user namespace';
  }
}
