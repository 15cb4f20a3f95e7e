import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '../../model/faults/index.js';
import { objectAt, objectsAt, own, textAt, textsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { GenerateFacts } from './facts.js';
import { TemplateFiller } from './template-filler.js';
import { generatorParams } from './generators.js';
import { templateApplication, mergedTemplate } from './template.js';

const APPLICATIONS_A_TURN = 50;

type Stage = 'ApplicationGenerationFromParamsError' | 'RenderTemplateParamsError';

/** Why a set makes no Applications at all; `reason` is that of Argo CD's condition. */
export class GenerationFault extends Fault {
  constructor(
    readonly reason: Stage,
    cause: Fault,
  ) {
    super(cause.code, cause.message, { where: cause.where, cause });
  }
}

/**
 * The Applications of an ApplicationSet, in the order of its generators. All of them or none: where one cannot be made,
 * a GenerationFault says why.
 */
export async function generateApplications(set: KubeObject, facts: GenerateFacts): Promise<KubeObject[]> {
  const spec = objectAt(set, 'spec') ?? {};
  const filling = new TemplateFiller(
    own(spec, 'goTemplate') === true,
    textsAt(spec, 'goTemplateOptions'),
    facts.templates,
  );
  const base = objectAt(spec, 'template') ?? {};
  const use = {
    templatePatch: textAt(spec, 'templatePatch'),
    namespace: set.metadata.namespace ?? '',
    preservesResources: objectAt(spec, 'syncPolicy')?.preserveResourcesOnDeletion === true,
  };
  const generated: KubeObject[] = [];
  for (const generator of objectsAt(spec, 'generators')) {
    for (const { params, template } of await at('ApplicationGenerationFromParamsError', () =>
      generatorParams(generator, { facts, filler: filling }),
    )) {
      const merged = mergedTemplate(template, base);
      for (const each of params) {
        facts.templates.beginApplication();
        generated.push(
          await at('RenderTemplateParamsError', () => templateApplication({ ...use, template: merged }, each, filling)),
        );
        // Others of this process have their turn meanwhile.
        if (generated.length % APPLICATIONS_A_TURN === 0) await nextTurn();
      }
    }
  }
  return generated;
}

async function at<T>(reason: Stage, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof Fault ? new GenerationFault(reason, error) : error;
  }
}
