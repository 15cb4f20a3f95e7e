import type { AppProject } from './app-project.js';
import { Fault } from '../faults/index.js';
import { isGlob, matchesGlob } from '../formats/index.js';

/** Where an application delivers to, as far as the choice of an account is concerned. */
export interface AccountScope {
  /** The address of the destination's cluster. */
  readonly server: string;
  /** The namespace of the destination; may be empty. */
  readonly namespace: string;
  /** The namespace of the Application itself. */
  readonly applicationNamespace: string;
}

/** `user` as Kubernetes names it: `system:serviceaccount:NAMESPACE:NAME`. */
export type SyncAccount =
  | { readonly kind: 'account'; readonly user: string }
  /** The project names none for this destination. */
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly message: string };

/** Characters of patterns and paths: an account is named, never matched. */
const DISALLOWED = /[!*[\]{}\\/]/;

/**
 * The service account that a project names for a destination: the first entry that matches. What cannot be read is
 * invalid, even if a later entry would match: that one may have more rights.
 */
export function syncAccountOf(
  { destinationServiceAccounts }: Pick<AppProject, 'destinationServiceAccounts'>,
  { server, namespace, applicationNamespace }: AccountScope,
): SyncAccount {
  for (const { server: servers, namespace: namespaces, defaultServiceAccount: account } of destinationServiceAccounts) {
    if (!isGlob(servers)) return invalid(`invalid glob pattern for destination server: ${servers}`);
    if (!isGlob(namespaces)) return invalid(`invalid glob pattern for destination namespace: ${namespaces}`);
    if (!matchesGlob(servers, server) || !matchesGlob(namespaces, namespace)) continue;
    if (account.trim() === '' || DISALLOWED.test(account))
      return invalid(`default service account contains invalid chars '${account}'`);
    const qualified = account.includes(':')
      ? account
      : `${namespace === '' ? applicationNamespace : namespace}:${account}`;
    // Kubernetes takes anything else for the name of a user, which a right to impersonate accounts does not cover.
    if (!/^[^:]+:[^:]+$/.test(qualified))
      return invalid(`default service account '${account}' is neither a name nor namespace:name`);
    return { kind: 'account', user: `system:serviceaccount:${qualified}` };
  }
  return { kind: 'none' };
}

/** Refuses entries that no sync could use, in the words of Argo CD's API. */
export function requireSyncAccounts({
  destinationServiceAccounts,
}: Pick<AppProject, 'destinationServiceAccounts'>): void {
  const known = new Set<string>();
  for (const { server, namespace, defaultServiceAccount } of destinationServiceAccounts) {
    const isPattern = (text: string): boolean => !text.includes('!') && isGlob(text);
    if (!isPattern(server)) throw refused(`server has an invalid format, '${server}'`);
    if (!isPattern(namespace)) throw refused(`namespace has an invalid format, '${namespace}'`);
    if (defaultServiceAccount.trim() === '' || DISALLOWED.test(defaultServiceAccount))
      throw refused(`defaultServiceAccount has an invalid format, '${defaultServiceAccount}'`);
    const key = `${server}/${namespace}`;
    if (known.has(key)) throw refused(`destinationServiceAccount '${key}' already added`);
    known.add(key);
  }
}

function refused(message: string): Fault {
  return new Fault('VALUE_INVALID', message, { where: 'spec.destinationServiceAccounts' });
}

function invalid(message: string): SyncAccount {
  return { kind: 'invalid', message };
}
