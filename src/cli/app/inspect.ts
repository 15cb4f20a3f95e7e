import type { Inspection, InspectOptions } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { hasManySources, sourcesOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import { positionOfSource } from '../application/index.js';

/** Which revisions a look is about, where not those that the application names. */
export interface RevisionFlags {
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly sourcePositions?: readonly number[];
  readonly sourceNames?: readonly string[];
}

/** The positions that go with --revisions, from 1. */
export function positionsOf(
  application: KubeObject,
  { sourceNames = [], sourcePositions = [] }: RevisionFlags,
): readonly number[] {
  return sourceNames.length > 0 ? sourceNames.map((name) => positionOfSource(application, name)) : sourcePositions;
}

export function checkRevisionFlags({ revisions = [], sourcePositions = [], sourceNames = [] }: RevisionFlags): void {
  if (sourceNames.length > 0 && sourcePositions.length > 0)
    throw new Fault('USAGE', 'Only one of source-positions and source-names can be specified.');
  const places = sourceNames.length > 0 ? sourceNames : sourcePositions;
  if (places.length !== revisions.length)
    throw new Fault(
      'USAGE',
      `While using --revisions and --source-${sourceNames.length > 0 ? 'names' : 'positions'}, length of ` +
        'values for both flags should be same.',
    );
}

/** A revision for each source, or none where the flags name none. */
function revisionsOf(application: KubeObject, flags: RevisionFlags): readonly string[] | undefined {
  checkRevisionFlags(flags);
  const [sources, positions] = [sourcesOf(application), positionsOf(application, flags)];
  if (positions.length === 0) return flags.revision === undefined ? undefined : [flags.revision];
  const revisions = sources.map((source) => textAt(source, 'targetRevision'));
  for (const [index, position] of positions.entries()) {
    if (sources[position - 1] === undefined)
      throw new Fault('USAGE', `Application does not have source at ${position}`);
    revisions[position - 1] = flags.revisions?.[index] ?? '';
  }
  return revisions;
}

/** What a pass of the controller would see of an application now. */
export function inspectApplication(
  { host, cluster, controlNamespace }: AppSession,
  application: KubeObject,
  flags: RevisionFlags,
  more: Omit<InspectOptions, 'revisions'> = {},
): Promise<Inspection> {
  if (hasManySources(application) && flags.revision !== undefined)
    throw new Fault(
      'USAGE',
      'argosy does not work on multi-source app with --revision flag. Use --revisions and --source-positions instead.',
    );
  const revisions = revisionsOf(application, flags);
  return host.inspect(cluster, application, {
    namespace: controlNamespace,
    ...(revisions === undefined ? {} : { revisions }),
    ...more,
  });
}

/** Where the manifests could not be made, there is nothing to compare, and no difference must not be told. */
export function rejectUnknownStatus({ status, conditions }: Inspection): void {
  const problem = conditions.find(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError');
  if (status === 'Unknown' && problem !== undefined)
    throw new Fault('COMPARISON_FAILED', problem.message, { where: problem.type });
}
