import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { PluginRequest } from './plugin-request.js';

/**
 * What Argo CD gives to a plugin: the build environment, the cluster's versions, `env` and `parameters` of the source.
 */
export function pluginEnvironment({
  environment,
  kubeVersion,
  apiVersions,
  plugin,
}: PluginRequest): Record<string, string> {
  const result = new Map<string, string>([
    ...environment,
    ['KUBE_VERSION', kubeVersion],
    ['KUBE_API_VERSIONS', apiVersions.join(',')],
  ]);
  const base = new Map(result);
  for (const entry of objects(plugin, 'env')) {
    if (typeof entry.name === 'string' && entry.name !== '')
      result.set(`ARGOCD_ENV_${entry.name}`, expand(text(entry.value), base));
  }
  const parameters = objects(plugin, 'parameters');
  result.set('ARGOCD_APP_PARAMETERS', writeJson(parameters));
  for (const parameter of parameters)
    for (const [name, value] of parameterVariables(parameter)) result.set(name, value);
  for (const [name, value] of result) {
    if (/[=\0]/.test(name) || value.includes('\0'))
      throw new Fault('VALUE_INVALID', 'a name or value of the plugin cannot be an environment variable', {
        where: name.slice(0, 100),
      });
  }
  return Object.fromEntries(result);
}

function* parameterVariables(parameter: JsonObject): Generator<[string, string]> {
  const base = `PARAM_${escaped(text(parameter.name))}`;
  if (typeof parameter.string === 'string') yield [base, parameter.string];
  const { map, array } = parameter;
  if (isObject(map)) for (const key of Object.keys(map)) yield [`${base}_${escaped(key)}`, text(own(map, key))];
  if (isArray(array)) for (const [index, value] of array.entries()) yield [`${base}_${index}`, text(value)];
}

function escaped(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function objects(plugin: JsonObject, name: string): JsonObject[] {
  const list = own(plugin, name);
  return isArray(list) ? list.filter(isObject) : [];
}

/** `$NAME` and `${NAME}`; an unknown name is nothing, `$$` a dollar. */
function expand(value: string, variables: ReadonlyMap<string, string>): string {
  const read = (name: string): string => (name === '$' ? '$' : (variables.get(name) ?? ''));
  return value.replace(
    /\$(?:\{([^}]*)(\}|$)|(\$|\w+))/g,
    (_, braced: string | undefined, end: string | undefined, plain: string = '') => {
      if (braced === undefined) return read(plain);
      // A bracket that is never closed is text; no other can be closed behind it.
      return end === '}' ? read(braced) : `\${${braced.replace(/\$(\$|\w+)/g, (__, name: string) => read(name))}`;
    },
  );
}
