import { flag, object, objects, text, texts, wrong, isObject, own, type Json, type JsonObject } from '../json/index.js';

/** Where an Application's manifests come from and how they are made: one entry of `spec.source` or `spec.sources`. */
export interface ApplicationSource {
  readonly repoURL: string;
  readonly path: string;
  readonly targetRevision: string;
  readonly chart: string;
  /** Makes `$ref/path` usable in the value files of the other sources. */
  readonly ref: string;
  readonly name: string;
  readonly tagPrefix: string;
  readonly helm?: HelmSettings;
  readonly kustomize?: KustomizeSettings;
  readonly directory?: DirectorySettings;
  readonly plugin?: JsonObject;
}

export interface HelmSettings {
  readonly valueFiles: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly value: string; readonly forceString: boolean }[];
  readonly fileParameters: readonly { readonly name: string; readonly path: string }[];
  readonly releaseName: string;
  /** A YAML text; `valuesObject` wins over it. */
  readonly values: string;
  readonly valuesObject?: JsonObject;
  readonly passCredentials: boolean;
  readonly ignoreMissingValueFiles: boolean;
  readonly skipCrds: boolean;
  readonly skipTests: boolean;
  readonly skipSchemaValidation: boolean;
  readonly namespace: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
}

/** As written, with the fields that a kustomization understands; `render` adds it on top of the one in git. */
export type KustomizeSettings = JsonObject;

export interface DirectorySettings {
  readonly recurse: boolean;
  readonly include: string;
  readonly exclude: string;
  readonly jsonnet: {
    readonly extVars: readonly JsonnetVariable[];
    readonly tlas: readonly JsonnetVariable[];
    readonly libs: readonly string[];
  };
}

export interface JsonnetVariable {
  readonly name: string;
  readonly value: string;
  readonly code: boolean;
}

/** Reads one source; faults name the field. `at` is the path of the source in its object, such as spec.source. */
export function parseApplicationSource(raw: Json | undefined, at: string): ApplicationSource {
  if (!isObject(raw)) throw wrong(at, 'must be an object');
  const kinds = ['helm', 'kustomize', 'directory', 'plugin'].filter((kind) => isObject(own(raw, kind)));
  if (kinds.length > 1) throw wrong(at, `says how to render in ${kinds.length} ways (${kinds.join(', ')}): keep one`);
  const [helm, kustomize, directory, plugin] = [
    object(raw, 'helm', at),
    object(raw, 'kustomize', at),
    object(raw, 'directory', at),
    object(raw, 'plugin', at),
  ];
  return {
    repoURL: text(raw, 'repoURL', at),
    path: text(raw, 'path', at),
    targetRevision: text(raw, 'targetRevision', at),
    chart: text(raw, 'chart', at),
    ref: text(raw, 'ref', at),
    name: text(raw, 'name', at),
    tagPrefix: text(raw, 'tagPrefix', at),
    ...(helm === undefined ? {} : { helm: parseHelm(helm, `${at}.helm`) }),
    ...(kustomize === undefined ? {} : { kustomize }),
    ...(directory === undefined ? {} : { directory: parseDirectory(directory, `${at}.directory`) }),
    ...(plugin === undefined ? {} : { plugin }),
  };
}

function parseHelm(helm: JsonObject, at: string): HelmSettings {
  const { valuesObject } = helm;
  return {
    valueFiles: texts(helm, 'valueFiles', at),
    parameters: objects(helm, 'parameters', at).map((parameter, index) => ({
      name: text(parameter, 'name', `${at}.parameters[${index}]`),
      value: text(parameter, 'value', `${at}.parameters[${index}]`),
      forceString: parameter.forceString === true,
    })),
    fileParameters: objects(helm, 'fileParameters', at).map((parameter, index) => ({
      name: text(parameter, 'name', `${at}.fileParameters[${index}]`),
      path: text(parameter, 'path', `${at}.fileParameters[${index}]`),
    })),
    releaseName: text(helm, 'releaseName', at),
    values: text(helm, 'values', at),
    ...(isObject(valuesObject) ? { valuesObject } : {}),
    passCredentials: flag(helm, 'passCredentials', at),
    ignoreMissingValueFiles: flag(helm, 'ignoreMissingValueFiles', at),
    skipCrds: flag(helm, 'skipCrds', at),
    skipTests: flag(helm, 'skipTests', at),
    skipSchemaValidation: flag(helm, 'skipSchemaValidation', at),
    namespace: text(helm, 'namespace', at),
    kubeVersion: text(helm, 'kubeVersion', at),
    apiVersions: texts(helm, 'apiVersions', at),
  };
}

function parseDirectory(directory: JsonObject, at: string): DirectorySettings {
  const jsonnet = object(directory, 'jsonnet', at) ?? {};
  const variables = (name: string): JsonnetVariable[] =>
    objects(jsonnet, name, `${at}.jsonnet`).map((variable, index) => ({
      name: text(variable, 'name', `${at}.jsonnet.${name}[${index}]`),
      value: text(variable, 'value', `${at}.jsonnet.${name}[${index}]`),
      code: variable.code === true,
    }));
  return {
    recurse: flag(directory, 'recurse', at),
    include: text(directory, 'include', at),
    exclude: text(directory, 'exclude', at),
    jsonnet: { extVars: variables('extVars'), tlas: variables('tlas'), libs: texts(jsonnet, 'libs', `${at}.jsonnet`) },
  };
}
