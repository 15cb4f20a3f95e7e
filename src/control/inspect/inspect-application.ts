import { maskDifferences, maskSecrets } from '../../diff/index.js';
import { Fault } from '../../model/faults/index.js';
import { keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { readOperation } from '../../model/argo/index.js';
import { listWaves, secretFields, waveOf } from '../../plan/index.js';
import {
  admitApplication,
  type Admitted,
  type ReconcileContext,
  checkHookPermissions,
  plannedInput,
  orphansOf,
  compareTargets,
  useGivenManifests,
  renderHead,
  renderRevisions,
  openReconciliation,
  type Reconciliation,
  type RenderedTargets,
  revisionsOf,
} from '../delivery/index.js';
import type { ManagedResource } from '../comparison/index.js';
import type { InspectedResource, Inspection } from './inspection.js';

/** How an application is inspected. */
export interface InspectOptions {
  /** Other revisions than its own, for its sources in order; an empty one stays. */
  readonly revisions?: readonly string[];
  /** These manifests, instead of what its sources give. */
  readonly manifests?: readonly string[];
  /** Renders the manifests again. */
  readonly hard?: boolean;
}

/** The admitted application; a Fault lists the violations. */
export function requireAdmitted(object: KubeObject, context: ReconcileContext): Admitted {
  const admission = admitApplication(object, context);
  if (admission.kind === 'refused')
    throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '), {
      where: `Application ${object.metadata.name ?? ''}`,
    });
  return admission.admitted;
}

/**
 * What a reconcile would find for an application now, at other revisions or with other manifests if they are given.
 * Nothing is changed.
 */
export async function inspectApplication(
  object: KubeObject,
  context: ReconcileContext,
  options: InspectOptions = {},
): Promise<Inspection> {
  const begun = context.clock.steady();
  const reconciliation = await openReconciliation(requireAdmitted(object, context), context);
  const targets = await renderInspected(reconciliation, options, begun);
  const compared = await compareTargets(reconciliation, targets, undefined);
  const origins = new Map(targets.targets.targets.map(({ key, origin }) => [keyText(key), origin]));
  const operation = readOperation({ sync: { prune: true } }, 'operation');
  return {
    revisions: revisionsOf(targets),
    status: compared.status,
    health: compared.health,
    conditions: compared.conditions,
    resources: compared.resources.map((resource) =>
      toInspectedResource(resource, origins, context.controlPlane.settings.sensitiveAnnotations),
    ),
    orphaned: orphansOf(reconciliation),
    hooks: checkHookPermissions(reconciliation, targets.targets),
    plan: listWaves(plannedInput(reconciliation, operation, targets, compared)),
  };
}

/** The repositories are asked, unless they have answered since `begun`. */
async function renderInspected(
  reconciliation: Reconciliation,
  { manifests, revisions, hard = false }: InspectOptions,
  begun: number,
): Promise<RenderedTargets> {
  if (manifests !== undefined) return useGivenManifests(reconciliation, manifests);
  if (revisions !== undefined)
    return renderRevisions(reconciliation, reconciliation.application.sources, revisions, {});
  const maxAge = Math.max(0, reconciliation.context.clock.steady() - begun);
  return renderHead(reconciliation, { maxAge, isHard: hard });
}

function toInspectedResource(
  { key, target, live, status, differences, health, isHook, requiresPruning }: ManagedResource,
  origins: ReadonlyMap<string, string>,
  annotations: readonly string[],
): InspectedResource {
  const [maskedTarget, maskedLive] = maskSecrets([target, live], { annotations });
  const object = target ?? live;
  return {
    key,
    status,
    isHook,
    requiresPruning,
    differences: maskDifferences(differences, [target, live], { annotations }),
    wave: object === undefined ? 0 : waveOf(object),
    origin: origins.get(keyText(key)) ?? '',
    ...(maskedTarget === undefined ? {} : { target: maskedTarget }),
    ...(target !== undefined && key.group === '' && key.kind === 'Secret'
      ? { secretFields: secretFields(target) }
      : {}),
    ...(maskedLive === undefined ? {} : { live: maskedLive }),
    ...(health === undefined ? {} : { health }),
  };
}
