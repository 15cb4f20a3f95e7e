import { type Json, type JsonObject, isObject, parseJson, textAt, writeJson } from '../../../model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../../model/kubernetes/index.js';
import { json, ApiError } from '../../http/index.js';
import { route, type Route, list, text } from '../../route/index.js';
import { withoutServerFields } from './managed-resources.js';
import { TAG, APPLICATION_PARAMETERS } from './parameters.js';

/**
 * An object as clients send it beside its target. What they say it is decides nothing: it must only be the object that
 * it says.
 */
function checkLive(given: string, index: number): void {
  const where = `liveResources[${index}]`;
  const resource = parseJson(given);
  if (!isObject(resource)) throw new ApiError('InvalidArgument', `${where}: not an object`);
  const state = textAt(resource, 'liveState');
  const live: Json = state === '' || state === 'null' ? null : parseJson(state);
  if (!isObject(live)) return;
  const { group } = splitApiVersion(textAt(live, 'apiVersion'));
  const pairs = [
    ['name', textAt(live, 'metadata', 'name')],
    ['namespace', textAt(live, 'metadata', 'namespace')],
    ['group', group],
    ['kind', textAt(live, 'kind')],
  ] as const;
  for (const [field, is] of pairs)
    if (is !== textAt(resource, field))
      throw new ApiError('InvalidArgument', `${where}: ${field} mismatch: the object inside is another one`);
}

function stateText(object: KubeObject | undefined): string {
  return object === undefined ? 'null' : writeJson(withoutServerFields(object));
}

export const SERVER_SIDE_DIFF_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/server-side-diff', {
    summary:
      'What a server-side apply would change, by a dry run in the cluster; without ' +
      'targetManifests, for the manifests in git.',
    tag: TAG,
    access: { resource: 'applications', action: 'get', object: 'application' },
    query: {
      ...APPLICATION_PARAMETERS,
      targetManifests: list(text('A manifest, as JSON or YAML.')),
      liveResources: list(text('A ResourceDiff, as JSON; optional, as the live state is read from the cluster.')),
    },
    handle: async ({ application, services, query: { targetManifests = [], liveResources = [] } }) => {
      for (const [index, resource] of liveResources.entries()) checkLive(resource, index);
      const diffs = await services.inspections.serverSideDiff(application, targetManifests);
      const items = diffs.map(
        ({ key: { group, kind, namespace, name }, live, predicted, isModified }): JsonObject => ({
          ...(group === '' ? {} : { group }),
          kind,
          ...(namespace === '' ? {} : { namespace }),
          name,
          targetState: stateText(predicted),
          liveState: stateText(live),
          ...(isModified ? { modified: true } : {}),
          ...(live?.metadata.resourceVersion === undefined ? {} : { resourceVersion: live.metadata.resourceVersion }),
        }),
      );
      return json({ items, modified: diffs.some(({ isModified }) => isModified) });
    },
  }),
];
