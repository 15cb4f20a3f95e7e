import { vaultKeys, type Component } from './component.js';
import { FIRST_OUT_OF_SYNC, FIRST_UNDELIVERABLE, FIRST_UNPLACED, type Moment } from './first-moment.js';
import { ONCE_UNPLACED } from './platform-components.js';

/** How an Application is to be seen. */
export interface ExpectedState {
  readonly sync: 'Synced' | 'OutOfSync';
  readonly health: 'Healthy' | 'Progressing' | 'Missing' | 'Degraded';
}

export const GOOD: ExpectedState = { sync: 'Synced', health: 'Healthy' };

/**
 * Degraded at the first moment without a secret from the store: their pods cannot be placed or pulled, or their job
 * fails.
 */
const DEGRADED = ['vault-core', 'vault-bootstrap', 'transformation'];

/**
 * The inventory counts applications; this says which they are. Whatever wants a secret is Degraded with its
 * ExternalSecret, and whatever rolls out without a place is so when its deadline is over. What waits for a pod without
 * ever giving up is Progressing.
 */
export function expectedState(
  { name, ...component }: Component,
  moment: Moment | undefined,
  unplaced: ReadonlySet<string>,
): ExpectedState {
  if (moment === undefined) return GOOD;
  const isDegraded =
    vaultKeys({ name, ...component }).length > 0 ||
    DEGRADED.includes(name) ||
    (ONCE_UNPLACED.includes(name) && unplaced.has(name));
  return {
    sync: FIRST_OUT_OF_SYNC.includes(name) ? 'OutOfSync' : 'Synced',
    health: firstHealth(name, isDegraded),
  };
}

function firstHealth(name: string, isDegraded: boolean): ExpectedState['health'] {
  if (FIRST_UNDELIVERABLE.includes(name)) return 'Missing';
  if (isDegraded) return 'Degraded';
  return FIRST_UNPLACED.includes(name) ? 'Progressing' : 'Healthy';
}

/** The same for what the cluster has once. */
export function expectedClusterState(name: string, moment: Moment | undefined): ExpectedState {
  if (moment === undefined) return GOOD;
  if (name === 'cluster-external-secrets') return { sync: 'Synced', health: 'Degraded' };
  return name.endsWith('-cert-manager') ? { sync: 'OutOfSync', health: 'Healthy' } : GOOD;
}
