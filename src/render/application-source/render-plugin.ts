import type { JsonObject } from '../../model/json/index.js';
import { environmentValues, type BuildEnvironment } from './build-environment.js';
import { parsePrintedManifests } from '../directory/index.js';
import { needKey, NeedsContent, type Need, type TreeReader } from '../common/index.js';
import type { RenderOutcome, RenderRequest } from './render-request.js';

export interface PluginSource {
  readonly request: RenderRequest;
  readonly reader: TreeReader;
  readonly environment: BuildEnvironment;
  /** The `plugin` block of the source. */
  readonly plugin: JsonObject;
  readonly folder: string;
}

/** A plugin is a program of the administrator's, so what it prints is fetched like everything else from outside. */
export function renderPlugin({ request, reader, environment, plugin, folder }: PluginSource): RenderOutcome {
  // Nobody knows what a program reads.
  reader.sawEverything();
  const variables = Object.fromEntries(environmentValues(request));
  for (const name of Object.keys(variables)) environment.expand(`\${${name}}`);
  const { repository, commit } = reader.tree;
  const need: Need = {
    kind: 'plugin',
    repository,
    commit,
    path: folder,
    plugin,
    environment: variables,
    kubeVersion: request.kubeVersion,
    apiVersions: request.apiVersions,
  };
  const printed = request.fetched.get(needKey(need));
  if (printed === undefined) throw new NeedsContent([need]);
  const name = typeof plugin.name === 'string' ? plugin.name : '';
  return {
    kind: 'rendered',
    type: 'Plugin',
    manifests: parsePrintedManifests(Buffer.from(printed).toString('utf8'), `plugin ${name}`),
    warnings: [],
  };
}
