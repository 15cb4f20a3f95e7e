import { ClusterError } from '../../cluster/index.js';
import { applyImpacts, type LiveResource, loadCatalogue } from '../../control/index.js';
import { createActions, readOverrides, type Actions } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, keyOf, keyText } from '../../model/kubernetes/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { applicationId, findApplication, readSettings, type AppSession } from '../session/index.js';
import { Kinds, isWanted, liveResource, withManaged, type ResourceFlags } from '../application/index.js';
import { splitPair } from '../command/index.js';

export interface ActionFlags extends ResourceFlags {
  readonly all?: boolean;
  readonly output?: string;
  readonly param?: readonly string[];
}

/** `app actions list`. */
export async function listActions(session: AppSession, name: string, flags: ActionFlags): Promise<string> {
  const actions = await openActions(session);
  const shown = await withCandidates(session, name, flags, (found) =>
    Promise.resolve(
      found.flatMap(({ object }) =>
        actions.discover(object).map(({ name: action, disabled }) => {
          const key = keyOf(object);
          return { Group: key.group, Kind: key.kind, Name: key.name, Action: action, Disabled: disabled };
        }),
      ),
    ),
  );
  if (flags.output === 'json') return prettyJson(shown);
  if (flags.output === 'yaml') return writeYaml(shown);
  return formatTable(
    ['GROUP', 'KIND', 'NAME', 'ACTION', 'DISABLED'],
    shown.map((row) => [row.Group, row.Kind, row.Name, row.Action, String(row.Disabled)]),
  );
}

/** `app actions run`. */
export async function runAction(
  session: AppSession,
  name: string,
  action: string,
  flags: ActionFlags,
): Promise<string> {
  const actions = await openActions(session);
  const given = Object.fromEntries(
    (flags.param ?? [])
      .map((text) => splitPair(text, '--param'))
      .map(({ name: parameter, value }) => [parameter, value]),
  );
  return withCandidates(session, name, flags, async (found) => {
    if (found.length === 0) throw new Fault('USAGE', 'no matching resource found');
    if (found.length > 1 && flags.all !== true)
      throw new Fault(
        'USAGE',
        'multiple resources match inputs, use the --all flag to run the action on multiple resources',
      );
    if (new Set(found.map(({ object }) => gvkOf(object).group)).size > 1)
      throw new Fault('USAGE', 'Ambiguous resource group. Use flag --group to specify resource group explicitly.');
    const done: string[] = [];
    for (const candidate of found) {
      await applyImpacts(candidate, actions.run(candidate.object, action, given)).catch(rethrowAsUsage);
      done.push(`action ${action} ran on ${keyText(keyOf(candidate.object))}\n`);
    }
    return done.join('');
  });
}

async function openActions(session: AppSession): Promise<Actions> {
  const { host } = session;
  return createActions({
    catalogue: loadCatalogue(host.catalogue),
    overrides: readOverrides(await readSettings(session, 'argocd-cm')),
    now: host.now,
    elapsed: () => performance.now(),
  });
}

/** The live objects of the application that the flags choose, and the Application itself. */
async function withCandidates<T>(
  session: AppSession,
  name: string,
  flags: ActionFlags,
  act: (found: readonly LiveResource[]) => Promise<T>,
): Promise<T> {
  const application = await findApplication(session, applicationId(name, session));
  return withManaged(session, application, async (cluster, kinds, managed) => {
    const home = cluster === session.cluster ? kinds : await Kinds.of(session.cluster);
    return act(
      [
        ...managed.map((object) => liveResource(cluster, kinds, object)),
        liveResource(session.cluster, home, application),
      ].filter(({ object }) => isWanted(keyOf(object), flags)),
    );
  });
}

function rethrowAsUsage(error: unknown): never {
  if (error instanceof ClusterError && error.isConflict)
    throw new Fault('CLUSTER_REFUSED', 'the object was changed meanwhile: run the action again', {
      where: error.where,
      cause: error,
    });
  throw error;
}
