import { isArray, isObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { checkHooks, hasHooksToCheck, type HookFinding, type ResourceName } from '../../plan/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { Condition, Targets } from '../comparison/index.js';
import { kindTopic } from '../queue/index.js';
import type { ReconcileContext } from './reconcile-context.js';
import type { ReconcileState } from './reconcile-state.js';

const KINDS = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
  group: 'rbac.authorization.k8s.io',
  kind,
}));
const NO_TOPICS: ReadonlySet<string> = new Set();
const TOPICS: ReadonlySet<string> = new Set(KINDS.map(kindTopic));

/** What a look at hooks needs of a pass. */
interface HookContext {
  readonly application: Application;
  readonly clusterCache: ClusterCache;
  readonly reconcileState: ReconcileState;
  readonly context: ReconcileContext;
}

/**
 * Hooks that may not do what their commands do. While there are any, whatever changes about rights wakes the
 * application.
 */
export function hookPermissionConditions(pass: HookContext, targets: Targets): Condition[] {
  const findings =
    pass.context.controlPlane.settings.hookPermissions === 'off'
      ? []
      : checkHookPermissions(pass, targets).filter(({ kind }) => kind !== 'unchecked');
  pass.reconcileState.permissionTopics = findings.length === 0 ? NO_TOPICS : TOPICS;
  return findings.map(({ message }) => ({ type: 'HookPermissionWarning', message }));
}

/** The same with those that cannot be checked. */
export function checkHookPermissions(
  { clusterCache, application }: Pick<HookContext, 'clusterCache' | 'application'>,
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

function rolesAndBindings(view: ClusterCache): readonly KubeObject[] | { readonly unreadable: string } {
  const doubt = KINDS.map((kind) => view.unreadableReason(kind)).find((each) => each !== undefined);
  return doubt === undefined ? KINDS.flatMap((kind) => view.listOf(kind)) : { unreadable: doubt };
}

function findResource(view: ClusterCache, objects: readonly KubeObject[], word: string): ResourceName | undefined {
  const kind = view.findKind(word);
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
