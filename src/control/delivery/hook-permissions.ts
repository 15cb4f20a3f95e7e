import { isArray, isObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { checkHooks, hasHooksToCheck, type HookFinding, type ResourceName } from '../../plan/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { Condition, Targets } from '../comparison/index.js';
import { kindTopic } from '../queue/index.js';
import type { ReconcileContext } from './reconcile-context.js';

const KINDS = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
  group: 'rbac.authorization.k8s.io',
  kind,
}));
const NO_TOPICS: ReadonlySet<string> = new Set();
const TOPICS: ReadonlySet<string> = new Set(KINDS.map(kindTopic));

interface HookScope {
  readonly application: Application;
  readonly clusterCache: ClusterCache;
  readonly context: ReconcileContext;
}

/** Hooks whose account lacks a permission that their commands need. */
export function hookPermissionConditions(scope: HookScope, targets: Targets): Condition[] {
  if (scope.context.controlPlane.settings.hookPermissions === 'off') return [];
  return checkHookPermissions(scope, targets)
    .filter(({ kind }) => kind === 'missing' || kind === 'later')
    .map(({ message, add }) => ({
      type: 'HookPermissionWarning',
      message: add === '' ? message : `${message}:\n${add.trimEnd()}`,
    }));
}

/** While a hook lacks permissions, every change of roles and bindings enqueues the application. */
export function permissionTopics(conditions: readonly Condition[]): ReadonlySet<string> {
  return conditions.some(({ type }) => type === 'HookPermissionWarning') ? TOPICS : NO_TOPICS;
}

/** All findings, including those about hooks that cannot be checked. */
export function checkHookPermissions(
  { clusterCache, application }: Pick<HookScope, 'clusterCache' | 'application'>,
  { targets }: Targets,
): HookFinding[] {
  const objects = targets.map(({ object }) => object);
  if (!hasHooksToCheck(objects)) return [];
  return checkHooks({
    objects,
    destinationNamespace: application.destination.namespace,
    live: () => rolesAndBindings(clusterCache),
    resolve: (word) => findResource(clusterCache, objects, word),
    configMap: (namespace, name) => clusterCache.get({ group: '', kind: 'ConfigMap', namespace, name }),
  });
}

function rolesAndBindings(clusterCache: ClusterCache): readonly KubeObject[] | { readonly unreadable: string } {
  const doubt = KINDS.map((kind) => clusterCache.unreadableReason(kind)).find((each) => each !== undefined);
  return doubt === undefined ? KINDS.flatMap((kind) => clusterCache.listOf(kind)) : { unreadable: doubt };
}

function findResource(
  clusterCache: ClusterCache,
  objects: readonly KubeObject[],
  word: string,
): ResourceName | undefined {
  const kind = clusterCache.findKind(word);
  return kind === undefined
    ? definedResource(objects, word)
    : { group: kind.group, resource: kind.plural, namespaced: kind.namespaced };
}

/** One that the application brings itself. */
function definedResource(objects: readonly KubeObject[], word: string): ResourceName | undefined {
  for (const { kind, spec } of objects) {
    if (kind !== 'CustomResourceDefinition' || !isObject(spec) || !isObject(spec.names)) continue;
    const {
      group,
      scope,
      names: { plural, singular, shortNames },
    } = spec;
    const known = [plural, singular, ...(isArray(shortNames) ? shortNames : [])];
    if (
      typeof plural === 'string' &&
      typeof group === 'string' &&
      known.some((name) => name === word || `${String(name)}.${group}` === word)
    )
      return { group, resource: plural, namespaced: scope !== 'Cluster' };
  }
  return undefined;
}
