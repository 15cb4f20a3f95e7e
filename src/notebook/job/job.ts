import { matchesGlob, parseDuration } from '../../model/formats/index.js';
import { type JsonObject, flagAt, numberAt, objectAt, objectsAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { NotebookImage } from '../../model/settings/index.js';

export interface GitNotebook {
  readonly url: string;
  readonly ref: string;
  /** A Secret of the job's namespace; empty for none. */
  readonly secret: string;
  /** From the root of the repository. */
  readonly path: string;
}

export interface BuildSpec {
  readonly strategy: string;
  readonly baseImage: string;
  readonly dockerfile: string;
  readonly requirementsFile: string;
  readonly generatesRequirements: boolean;
  readonly prefersDockerfile: boolean;
  readonly milliseconds: number;
}

/** A parsed NotebookValidationJob with all defaults. */
export interface NotebookJob {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly notebook: GitNotebook;
  readonly golden: GitNotebook | undefined;
  /** For one attempt. */
  readonly milliseconds: number;
  /** What its pods run. */
  readonly image: string;
  /** How it relates to the image that the administrator allows. */
  readonly imageDecision: ImageDecision | undefined;
  readonly serviceAccount: string;
  readonly podConfig: JsonObject;
  /** Those of the spec and those of podConfig. */
  readonly volumes: readonly JsonObject[];
  readonly build: BuildSpec | undefined;
  readonly comparison: JsonObject;
  readonly validation: JsonObject;
  readonly model: JsonObject | undefined;
  /** Within which its models must be ready and answer. */
  readonly modelMilliseconds: number;
  readonly maxRetries: number;
  readonly retriesNotebookFailures: boolean;
}

/** `other`: it runs the requested image, which is not the allowed one. `set`: it runs the allowed one instead. */
export interface ImageDecision {
  readonly kind: 'same' | 'other' | 'set';
  readonly requested: string;
  readonly allowed: string;
}

function decideImage(
  requested: string,
  namespace: string,
  allowed: NotebookImage | undefined,
): ImageDecision | undefined {
  if (allowed === undefined || allowed.exemptNamespaces.some((pattern) => matchesGlob(pattern, namespace)))
    return undefined;
  const otherKind = allowed.mode === 'set' ? 'set' : 'other';
  return {
    kind: requested === allowed.image ? 'same' : otherKind,
    requested,
    allowed: allowed.image,
  };
}

const IMAGE = 'quay.io/jupyter/minimal-notebook:latest';
const TIMEOUT = 30 * 60_000;
const BUILD_TIMEOUT = 15 * 60_000;
const MODEL_TIMEOUT = 5 * 60_000;
const RETRIES = 3;

const COMPARISON: JsonObject = {
  strategy: 'normalized',
  floatingPointTolerance: '0.0001',
  ignoreTimestamps: true,
  ignoreExecutionCount: true,
  customTimestampPatterns: [],
  ignoreOutputTypes: [],
};
/** Switches that are not set follow the level. */
const VALIDATION: JsonObject = { level: 'development', strictMode: false, expectedOutputs: [] };

/** Defaults are filled in here too: the definition in a cluster may be another one than ours. */
export function readJob(object: KubeObject, allowed?: NotebookImage): NotebookJob {
  const { namespace = '', name = '', uid = '', generation = 1, annotations = {} } = object.metadata;
  const spec = objectAt(object, 'spec');
  const pod = objectAt(spec, 'podConfig') ?? {};
  const golden = objectAt(spec, 'goldenNotebook');
  const retry = objectAt(spec, 'retryPolicy');
  const model = objectAt(spec, 'modelValidation');
  const build = readBuild(objectAt(pod, 'buildConfig'));
  const asked = textAt(pod, 'containerImage') || IMAGE;
  const imageVerdict = decideImage(build === undefined ? asked : `a build from ${build.baseImage}`, namespace, allowed);
  const isSet = imageVerdict?.kind === 'set';
  return {
    object,
    namespace,
    name,
    uid,
    generation,
    annotations,
    notebook: readNotebook(objectAt(spec, 'notebook')),
    golden: golden === undefined ? undefined : readNotebook(golden),
    milliseconds: duration(textAt(spec, 'timeout'), TIMEOUT),
    image: isSet ? imageVerdict.allowed : asked,
    imageDecision: imageVerdict,
    serviceAccount: textAt(pod, 'serviceAccountName') || 'default',
    podConfig: pod,
    volumes: [...objectsAt(pod, 'volumes'), ...objectsAt(spec, 'volumes')],
    build: isSet ? undefined : build,
    comparison: { ...COMPARISON, ...objectAt(spec, 'comparisonConfig') },
    validation: { ...VALIDATION, ...objectAt(spec, 'validationConfig') },
    model: model !== undefined && (flagAt(model, 'enabled') ?? true) ? model : undefined,
    modelMilliseconds: duration(textAt(model, 'timeout'), MODEL_TIMEOUT),
    maxRetries: numberAt(retry, 'maxRetries') ?? RETRIES,
    retriesNotebookFailures: flagAt(retry, 'retryNotebookFailures') ?? false,
  };
}

function readNotebook(notebook: JsonObject | undefined): GitNotebook {
  const git = objectAt(notebook, 'git');
  return {
    url: textAt(git, 'url'),
    ref: textAt(git, 'ref'),
    secret: textAt(git, 'credentialsSecret'),
    path: textAt(notebook, 'path'),
  };
}

function readBuild(config: JsonObject | undefined): BuildSpec | undefined {
  if (flagAt(config, 'enabled') !== true) return undefined;
  return {
    strategy: textAt(config, 'strategy') || 's2i',
    baseImage: textAt(config, 'baseImage') || IMAGE,
    dockerfile: textAt(config, 'dockerfile'),
    requirementsFile: textAt(config, 'requirementsFile'),
    generatesRequirements: flagAt(config, 'autoGenerateRequirements') ?? true,
    prefersDockerfile: flagAt(config, 'preferDockerfile') ?? false,
    milliseconds: duration(textAt(config, 'timeout'), BUILD_TIMEOUT),
  };
}

/** A duration of nothing would end every run before it began. */
function duration(text: string, otherwise: number): number {
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) return otherwise;
  const milliseconds = Number(parseDuration(text) / 1_000_000n);
  return milliseconds > 0 ? milliseconds : otherwise;
}
