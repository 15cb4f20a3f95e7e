import { drop, own, put } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { applyMergePatch } from '../../model/patch/index.js';
import { ApiError } from '../errors/index.js';
import type { AdmissionPlugin, AdmissionRequest, Clock } from '../rest/index.js';
import { patchOf } from './apply-stage.js';
import { chooseSelfStage } from './choose-stage.js';
import { StageError } from './stage-error.js';
import type { Stage } from './stage.js';

/**
 * Stages that play a mutating webhook: they change an object while it is written, so a dry run sees what they do, and
 * nobody ever reads the object without it.
 */
export function admissionStages(stages: readonly Stage[], clock: Clock): AdmissionPlugin {
  return {
    name: 'stages',
    mutate(request) {
      const { object, type, subresource } = request;
      if (object === undefined || subresource !== '') return;
      const own = stages.filter(({ match }) => match.group === type.group && match.kind === type.kind);
      if (own.length > 0) mutate(own, object, request, clock);
    },
  };
}

function mutate(stages: readonly Stage[], object: KubeObject, { namespace }: AdmissionRequest, clock: Clock): void {
  try {
    const choice = chooseSelfStage(stages, object, clock.now());
    if (choice === undefined) return;
    const next = applyMergePatch(object, patchOf(choice.stage, object, { values: choice.values }));
    for (const field of Object.keys({ ...object, ...next })) {
      const value = own(next, field);
      if (value === undefined) drop(object, field);
      else put(object, field, value);
    }
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    const [first] = stages;
    const where = `${namespace === '' ? '' : `${namespace}/`}${object.metadata.name ?? ''}`;
    throw new ApiError(
      500,
      'InternalError',
      `Internal error occurred: failed calling webhook "${first?.controller ?? ''}" for ${where}: ${error.message}`,
    );
  }
}
