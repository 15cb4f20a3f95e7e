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
  compare,
  useGivenManifests,
  renderHead,
  renderPinned,
  openReconciliation,
  ReconcileState,
} from '../delivery/index.js';
import type { ManagedResource } from '../comparison/index.js';
import type { InspectedResource, Inspection } from './inspection.js';

/** How an application is looked at. */
export interface InspectOptions {
  /** Other revisions than its own, for its sources in order; an empty one stays. */
  readonly revisions?: readonly string[];
  /** These manifests, instead of what its sources give. */
  readonly manifests?: readonly string[];
  /** Makes the manifests again. */
  readonly hard?: boolean;
}

/** An application that may be looked at; a Fault says what stands against it. */
export function requireAdmitted(object: KubeObject, desk: ReconcileContext): Admitted {
  const admission = admitApplication(object, desk);
  if (admission.kind === 'refused')
    throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '), {
      where: `Application ${object.metadata.name ?? ''}`,
    });
  return admission.admitted;
}

/**
 * What a pass of the controller would see of an application now, at other revisions or with other manifests where they
 * are named. Nothing is changed.
 */
export async function inspectApplication(
  object: KubeObject,
  desk: ReconcileContext,
  options: InspectOptions = {},
): Promise<Inspection> {
  const record = new ReconcileState();
  record.refresh = { kind: options.hard === true ? 'hard' : 'normal', at: desk.clock.steady() };
  const pass = await openReconciliation(requireAdmitted(object, desk), desk, record);
  const made =
    options.manifests !== undefined
      ? useGivenManifests(pass, options.manifests)
      : options.revisions === undefined
        ? await renderHead(pass)
        : await renderPinned(pass, pass.application.sources, options.revisions);
  const seen = await compare(pass, made, undefined);
  const origins = new Map(made.targets.targets.map(({ key, origin }) => [keyText(key), origin]));
  return {
    revisions: made.rendered.sources.map(({ revision }) => revision),
    status: seen.status,
    health: seen.health,
    conditions: seen.conditions,
    resources: seen.resources.map((resource) =>
      toInspectedResource(resource, origins, desk.controlPlane.settings.sensitiveAnnotations),
    ),
    orphaned: orphansOf(pass),
    hooks: checkHookPermissions(pass, made.targets),
    plan: listWaves(plannedInput(pass, readOperation({ sync: { prune: true } }, 'operation'), made, seen)),
  };
}

function toInspectedResource(
  { key, target, live, status, differences, health, isHook, requiresPruning }: ManagedResource,
  origins: ReadonlyMap<string, string>,
  annotations: readonly string[],
): InspectedResource {
  const [shownTarget, shownLive] = maskSecrets([target, live], { annotations });
  const object = target ?? live;
  return {
    key,
    status,
    isHook,
    requiresPruning,
    differences: maskDifferences(differences, [target, live], { annotations }),
    wave: object === undefined ? 0 : waveOf(object),
    origin: origins.get(keyText(key)) ?? '',
    ...(shownTarget === undefined ? {} : { target: shownTarget }),
    ...(target !== undefined && key.group === '' && key.kind === 'Secret'
      ? { secretFields: secretFields(target) }
      : {}),
    ...(shownLive === undefined ? {} : { live: shownLive }),
    ...(health === undefined ? {} : { health }),
  };
}
