import { Fault } from '../../../model/faults/index.js';
import { type JsonObject, objectAt, objectsAt, put } from '../../../model/json/index.js';
import { hasManySources } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { positionOfSource } from '../../application/index.js';

/** Which of several sources is meant. */
export interface SourceChoice {
  readonly sourcePosition?: number;
  readonly sourceName?: string;
}

/** From 1; undefined where no flag says it. */
export function positionFor(application: KubeObject, { sourcePosition, sourceName }: SourceChoice): number | undefined {
  if (sourceName !== undefined && sourcePosition !== undefined)
    throw new Fault('USAGE', 'Only one of source-position and source-name can be specified.');
  return sourceName === undefined ? sourcePosition : positionOfSource(application, sourceName);
}

/** The source that flags speak about, and how it gets back into the spec. */
export function chooseSource(
  application: KubeObject,
  spec: JsonObject,
  choice: SourceChoice,
): { source: JsonObject; keep: () => void } {
  const position = positionFor(application, choice) ?? -1;
  if (!hasManySources(application)) {
    const source = objectAt(spec, 'source') ?? {};
    return {
      source,
      keep: () => {
        if (Object.keys(source).length > 0) put(spec, 'source', source);
      },
    };
  }
  if (position <= 0)
    throw new Fault(
      'USAGE',
      'Source position should be specified and must be greater than 0 for applications with multiple sources',
    );
  const source = objectsAt(spec, 'sources')[position - 1];
  if (source === undefined)
    throw new Fault('USAGE', 'Source position should be less than the number of sources in the application');
  return { source, keep: () => undefined };
}
