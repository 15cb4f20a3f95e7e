import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { SETTING_VARIABLES } from '../../model/settings/index.js';
import type { Entry, MapName } from './entry.js';

/** Environment variables of Argo CD's pods that correspond to a setting which is not used here. */
const THEIR_VARIABLES: readonly (readonly [variable: string, key: string])[] = [
  ['ARGOCD_APP_STATE_CACHE_EXPIRATION', 'controller.app.state.cache.expiration'],
  ['ARGOCD_DEFAULT_CACHE_EXPIRATION', 'controller.default.cache.expiration'],
  ['ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_TIMEOUT_SECONDS', 'controller.repo.server.timeout.seconds'],
  ['ARGOCD_APPLICATION_CONTROLLER_KUBECTL_PARALLELISM_LIMIT', 'controller.kubectl.parallelism.limit'],
];
const KEYS = new Map([
  ...Object.entries(SETTING_VARIABLES).map(([key, variable]) => [variable, key] as const),
  ...THEIR_VARIABLES,
]);

/** Flags of Argo CD's controller that correspond to a setting. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['--app-state-cache-expiration', 'controller.app.state.cache.expiration'],
  ['--default-cache-expiration', 'controller.default.cache.expiration'],
  ['--app-resync', 'timeout.reconciliation'],
  ['--app-hard-resync', 'timeout.hard.reconciliation'],
  ['--status-processors', 'controller.status.processors'],
  ['--operation-processors', 'controller.operation.processors'],
  ['--kubectl-parallelism-limit', 'controller.kubectl.parallelism.limit'],
  ['--repo-server-timeout-seconds', 'controller.repo.server.timeout.seconds'],
  ['--self-heal-timeout-seconds', 'controller.self.heal.timeout.seconds'],
]);

/** The settings from variables and flags of the controller; `unused` ones correspond to no setting. */
export function controllerEntries(controller: JsonObject): { readonly entries: Entry[]; readonly unused: string[] } {
  const variables = variablesOf(controller.env);
  const flags = flagsOf(controller.extraCommandArgs);
  return { entries: [...variables.entries, ...flags.entries], unused: [...variables.unused, ...flags.unused] };
}

function variablesOf(env: Json | undefined): { entries: Entry[]; unused: string[] } {
  const entries: Entry[] = [];
  const unused: string[] = [];
  (isArray(env) ? env.filter(isObject) : []).forEach(({ name, value }) => {
    const field = `spec.controller.env[${String(name)}]`;
    const key = typeof name === 'string' ? KEYS.get(name) : undefined;
    if (key === undefined || typeof value !== 'string') unused.push(field);
    else entries.push({ map: mapOf(key), key, value, field });
  });
  return { entries, unused };
}

function flagsOf(words: Json | undefined): { entries: Entry[]; unused: string[] } {
  const entries: Entry[] = [];
  const unused: string[] = [];
  const list = isArray(words) ? words.map(String) : [];
  for (let index = 0; index < list.length; index++) {
    const [flag, joined] = split(list[index] ?? '');
    const key = FLAGS.get(flag);
    const next = list[index + 1];
    const value = joined ?? (next?.startsWith('--') === false ? next : undefined);
    if (joined === undefined && value !== undefined) index++;
    const field = `spec.controller.extraCommandArgs (${flag})`;
    if (key === undefined || value === undefined) unused.push(field);
    else entries.push({ map: mapOf(key), key, value, field });
  }
  return { entries, unused };
}

function split(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function mapOf(key: string): MapName {
  return key.startsWith('timeout.') ? 'argocd-cm' : 'argocd-cmd-params-cm';
}
