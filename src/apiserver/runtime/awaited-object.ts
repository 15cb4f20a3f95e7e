import type { KubeObject } from '../../model/kubernetes/index.js';
import { forbiddenRequest, decide, type RbacSource, type AccessAttributes, type User } from '../access/index.js';
import { ApiError, notFound } from '../errors/index.js';
import type { LocalClient } from '../rest/index.js';
import { maybe, text } from '../resources/index.js';

/** An object that a container asks the server for, again and again, until it is there. */
export interface AwaitedObject {
  readonly group: string;
  readonly resource: string;
  /** By default the pod's own. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Milliseconds between two questions. */
  readonly every: number;
}

/** Undefined where the pod's account can read the object now; else what a client in the pod prints. */
export type ReadAsPod = (pod: KubeObject, awaited: AwaitedObject) => string | undefined;

/** Undefined where the pod's account may do this; else what a client in the pod prints. */
export type AskAsPod = (
  pod: KubeObject,
  of: { readonly verb: string; readonly group: string; readonly plural: string } & {
    readonly namespace: string;
    readonly name: string;
  },
) => string | undefined;

/** By the same rules as any request. */
export function askAsPod(client: LocalClient): AskAsPod {
  const rbac = rbacOf(client);
  return (pod, { verb, group, plural, namespace, name }) => {
    const asked: AccessAttributes = { verb, group, version: '', resource: plural, subresource: '', namespace, name };
    const user = accountOf(pod);
    const { allowed, reason } = decide(rbac, user, asked);
    return allowed ? undefined : clientText(forbiddenRequest(user, asked, reason));
  };
}

/** Asks as the account of the pod would: first whether it may, then for the object. */
export function readAsPod(client: LocalClient): ReadAsPod {
  const ask = askAsPod(client);
  return (pod, { group, resource, namespace = pod.metadata.namespace ?? '', name }) => {
    const refused = ask(pod, { verb: 'get', group, plural: resource, namespace, name });
    if (refused !== undefined) return refused;
    try {
      return client.get({ group, plural: resource }, namespace, name) === undefined
        ? clientText(notFound({ group, resource }, name))
        : undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return `error: the server doesn't have a resource type ${JSON.stringify(resource)}`;
    }
  };
}

function accountOf(pod: KubeObject): User {
  const { namespace = '' } = pod.metadata;
  const account = text(maybe(pod, 'spec'), 'serviceAccountName') || 'default';
  return {
    name: `system:serviceaccount:${namespace}:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

function clientText({ reason, message }: ApiError): string {
  return `Error from server (${reason}): ${message}`;
}

function rbacOf(client: LocalClient): RbacSource {
  const of = (plural: string): { group: string; plural: string } => ({ group: 'rbac.authorization.k8s.io', plural });
  return {
    roles: (namespace) => client.list(of('roles'), namespace),
    role: (namespace, name) => client.get(of('roles'), namespace, name),
    clusterRole: (name) => client.get(of('clusterroles'), '', name),
    roleBindings: (namespace) => client.list(of('rolebindings'), namespace),
    clusterRoleBindings: () => client.list(of('clusterrolebindings')),
  };
}
