import { isArray, isObject, type Application, type KubeObject } from '../../model/index.js';
import { checkHooks, hasHooksToCheck, type HookFinding, type ResourceName } from '../../plan/index.js';
import type { ClusterView } from './cluster-view.js';
import type { Condition } from './condition.js';
import { kindTopic } from './interests.js';
import type { Desk } from './desk.js';
import type { ApplicationRecord } from './record.js';
import type { Targets } from './targets.js';

const KINDS = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
  group: 'rbac.authorization.k8s.io',
  kind,
}));
const NOTHING: ReadonlySet<string> = new Set();
const TOPICS: ReadonlySet<string> = new Set(KINDS.map(kindTopic));

/** What a look at hooks needs of a pass. */
interface HookPass {
  readonly application: Application;
  readonly view: ClusterView;
  readonly record: ApplicationRecord;
  readonly desk: Desk;
}

/**
 * Hooks that may not do what their commands do. While there are any, whatever changes about rights wakes the
 * application.
 */
export function permissionConditions(pass: HookPass, targets: Targets): Condition[] {
  const findings =
    pass.desk.home.settings.hookPermissions === 'off'
      ? []
      : findHookProblems(pass, targets).filter(({ kind }) => kind !== 'unchecked');
  pass.record.rights = findings.length === 0 ? NOTHING : TOPICS;
  return findings.map(({ message }) => ({ type: 'HookPermissionWarning', message }));
}

/** The same with those that cannot be checked. */
export function findHookProblems(
  { view, application }: Pick<HookPass, 'view' | 'application'>,
  { targets }: Targets,
): HookFinding[] {
  const objects = targets.map(({ object }) => object);
  if (!hasHooksToCheck(objects)) return [];
  return checkHooks({
    objects,
    destinationNamespace: application.destination.namespace,
    live: () => rightsIn(view),
    resolve: (word) => resourceNamed(view, objects, word),
    configMap: (namespace, name) => view.get({ group: '', kind: 'ConfigMap', namespace, name }),
  });
}

function rightsIn(view: ClusterView): readonly KubeObject[] | { readonly unreadable: string } {
  const doubt = KINDS.map((kind) => view.doubtAbout(kind)).find((each) => each !== undefined);
  return doubt === undefined ? KINDS.flatMap((kind) => view.listOf(kind)) : { unreadable: doubt };
}

function resourceNamed(view: ClusterView, objects: readonly KubeObject[], word: string): ResourceName | undefined {
  const kind = view.kindNamed(word);
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
