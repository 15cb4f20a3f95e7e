import { clone, objectAt } from '../../../model/json/index.js';
import { qualifiedName } from '../../../model/argo/index.js';
import { Fault } from '../../../model/faults/index.js';
import { type AppFlags, type AppSession, applicationId } from '../../session/index.js';
import { check } from './create.js';
import { changeApplication } from '../../application/index.js';
import { chooseSource, type SourceChoice } from './source-choice.js';
import { flagsGiven, tidy, type GivenFlags } from './spec-flag.js';
import { UNSET_FLAGS } from './unset-flags.js';

export interface UnsetFlags extends AppFlags, SourceChoice {
  readonly promptsEnabled?: boolean;
}

/** `app unset`: takes overrides away from a source. Gives false where somebody said no. */
export async function unset(session: AppSession, name: string, flags: UnsetFlags, given: GivenFlags): Promise<boolean> {
  const { host } = session;
  const id = applicationId(name, session);
  const wanted = flagsGiven(UNSET_FLAGS, given);
  if (wanted.length === 0) throw new Fault('USAGE', 'Please name at least one option to unset');
  if (flags.promptsEnabled === true && !(await host.confirm('Are you sure you want to unset the parameters?'))) {
    host.stdout.write('The command to unset the parameters has been cancelled.\n');
    return false;
  }
  const outcome = { isChanged: false };
  await changeApplication(session, id, (current) => {
    const application = clone(current);
    const { source } = chooseSource(application, objectAt(application, 'spec') ?? {}, flags);
    outcome.isChanged = wanted.map(([flag, value]) => flag.take(source, value)).some(Boolean);
    if (!outcome.isChanged) return current;
    for (const block of ['helm', 'kustomize']) tidy(source, block);
    check(application);
    return application;
  });
  if (!outcome.isChanged) host.stderr.write(`nothing to unset in ${qualifiedName(id)}\n`);
  return true;
}
