import { type JsonObject, clone, objectAt, objectsAt, put } from '../../../model/json/index.js';
import { hasManySources } from '../../../model/argo/index.js';
import { Fault } from '../../../model/faults/index.js';
import { type AppFlags, type AppSession, applicationId } from '../../session/index.js';
import { check } from './create.js';
import { changeApplication } from '../../application/index.js';
import { positionFor, type SourceChoice } from './source-choice.js';
import { SOURCE_FLAGS } from './source-flags.js';
import { flagsGiven, type GivenFlags } from './spec-flag.js';

/** `app add-source`: one more at the end of `spec.sources`. */
export async function addSource(
  session: AppSession,
  name: string,
  flags: AppFlags & { readonly sourceName?: string; readonly validate?: boolean },
  given: GivenFlags,
): Promise<string> {
  const source: JsonObject = {};
  for (const [flag, value] of flagsGiven(SOURCE_FLAGS, given)) flag.apply({ spec: {}, source }, value);
  if (Object.keys(source).length === 0)
    throw new Fault('USAGE', 'no source to add: it needs --repo, and --path, --helm-chart or --ref');
  if (flags.sourceName !== undefined) put(source, 'name', flags.sourceName);
  const id = applicationId(name, session);
  await changeApplication(session, id, (current) => {
    const application = clone(current);
    if (!hasManySources(application))
      throw new Fault('USAGE', `Cannot add source: application ${id.name} does not have spec.sources defined`);
    put(objectAt(application, 'spec') ?? {}, 'sources', [...objectsAt(application, 'spec', 'sources'), clone(source)]);
    if (flags.validate !== false) check(application);
    return application;
  });
  return `Application '${id.name}' updated successfully\n`;
}

export interface RemoveSourceFlags extends AppFlags, SourceChoice {
  readonly promptsEnabled?: boolean;
}

/** `app remove-source`: by its position or its name. */
export async function removeSource(session: AppSession, name: string, flags: RemoveSourceFlags): Promise<string> {
  if (flags.sourceName === undefined && (flags.sourcePosition ?? 0) <= 0)
    throw new Fault('USAGE', 'Value of source-position must be greater than 0');
  if (flags.promptsEnabled === true && !(await session.host.confirm('Are you sure you want to delete the source?')))
    return 'The command to delete the source was cancelled\n';
  const id = applicationId(name, session);
  // The source that is meant is found once: somebody else's change in between must not move another one to its place.
  let meant: string | undefined;
  await changeApplication(session, id, (current) => {
    const application = clone(current);
    const sources = objectsAt(application, 'spec', 'sources');
    if (!hasManySources(application)) throw new Fault('USAGE', 'Application does not have multiple sources configured');
    if (sources.length === 1) throw new Fault('USAGE', 'Cannot remove the only source remaining in the app');
    const at =
      meant === undefined
        ? (positionFor(application, flags) ?? 0) - 1
        : sources.findIndex((source) => JSON.stringify(source) === meant);
    const found = sources[at];
    if (found === undefined)
      throw new Fault(
        'USAGE',
        meant === undefined
          ? `Application does not have source at ${at + 1}`
          : 'that source was removed or changed by someone else meanwhile',
      );
    meant = JSON.stringify(found);
    put(
      objectAt(application, 'spec') ?? {},
      'sources',
      sources.filter((_, index) => index !== at),
    );
    return application;
  });
  return `Application '${id.name}' updated successfully\n`;
}
