import { own, type JsonObject } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { CliHost } from '../host/index.js';
import { prettyJson } from '../output/index.js';
import { ApiClient, Contexts } from '../api-client/index.js';

export interface VersionFlags {
  readonly client?: boolean;
  readonly short?: boolean;
  readonly server?: string;
  readonly output: string;
}

/** Without a login there is no server to ask, and that is no error. */
export async function formatVersion({ client, short, server, output }: VersionFlags, host: CliHost): Promise<string> {
  const told: JsonObject = {
    client: { Version: `v${host.version}`, Platform: `${process.platform}/${process.arch}` },
  };
  const context = client === true ? undefined : contextOf(server, host);
  if (context !== undefined) told['server'] = await queryServerVersion(context);
  if (output === 'json') return prettyJson(told);
  if (output === 'yaml') return writeYaml(told);
  return Object.entries(told)
    .map(
      ([who, what]) =>
        `${who === 'client' ? 'argosy' : 'argosy-server'}: ${lines(what as JsonObject, short === true)}\n`,
    )
    .join('');
}

function contextOf(server: string | undefined, { environment }: CliHost): ReturnType<Contexts['find']> {
  const contexts = new Contexts(environment);
  return server === undefined ? contexts.find(undefined) : contexts.need(server);
}

async function queryServerVersion(context: ConstructorParameters<typeof ApiClient>[0]): Promise<JsonObject> {
  const api = new ApiClient(context);
  try {
    return await api.get('/api/version');
  } finally {
    await api.close();
  }
}

function lines(what: JsonObject, isShort: boolean): string {
  const version = String(own(what, 'Version') ?? '');
  const rest = Object.entries(what).filter(([name]) => name !== 'Version');
  return isShort ? version : [version, ...rest.map(([name, value]) => `  ${name}: ${String(value)}`)].join('\n');
}
