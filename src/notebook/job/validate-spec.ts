import { parseQuantity } from '../../model/kubernetes/index.js';
import { Fault } from '../../model/faults/index.js';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from '../../model/json/index.js';
import type { GitNotebook, NotebookJob } from './job.js';

/** Ours, and those that the original keeps for itself. */
const RESERVED_VOLUMES = [
  'git-clone',
  'notebook-data',
  'source',
  'workspace',
  'jovyan-home',
  'argosy-runner',
  'git-credentials',
  'golden-git-credentials',
];
const RESERVED_PATHS = ['/workspace', '/home/jovyan', '/argosy'];
const SOURCES = ['persistentVolumeClaim', 'configMap', 'secret', 'emptyDir'];

/** Violations that a schema cannot express, with field and problem. Nothing runs if there is one. */
export function validateSpec(job: NotebookJob): string[] {
  return [
    ...validateNotebookPath('spec.notebook', job.notebook),
    ...(job.golden === undefined ? [] : validateNotebookPath('spec.goldenNotebook', job.golden)),
    ...validateVolumes(job),
    ...validateMounts(job),
    ...validateResources(job),
    ...validateBuild(job),
    ...validateModel(job),
  ];
}

function validateNotebookPath(field: string, { path, ref, url }: GitNotebook): string[] {
  const parts = path.split('/');
  return [
    ...(path.startsWith('/') || parts.includes('..') || path.includes('\0')
      ? [`${field}.path: ${JSON.stringify(path)} must stay inside the repository`]
      : []),
    ...(ref === '' || ref.startsWith('-')
      ? [`${field}.git.ref: ${JSON.stringify(ref)} is not a branch, tag or commit`]
      : []),
    ...(/[\s\0]/.test(url) ? [`${field}.git.url: must not contain spaces`] : []),
  ];
}

interface NamedVolume {
  readonly field: string;
  readonly volume: JsonObject;
}

function namedVolumes({ object, podConfig }: NotebookJob): NamedVolume[] {
  const spec = objectAt(object, 'spec');
  return [
    ...objectsAt(podConfig, 'volumes').map((volume, index) => ({ field: `spec.podConfig.volumes[${index}]`, volume })),
    ...objectsAt(spec, 'volumes').map((volume, index) => ({ field: `spec.volumes[${index}]`, volume })),
  ];
}

function validateVolumes(job: NotebookJob): string[] {
  const seen = new Map<string, string>();
  return namedVolumes(job).flatMap(({ field, volume }) => {
    const name = textAt(volume, 'name');
    const earlier = seen.get(name);
    seen.set(name, earlier ?? field);
    const sources = SOURCES.filter((source) => objectAt(volume, source) !== undefined);
    return [
      ...(RESERVED_VOLUMES.includes(name)
        ? [`${field}.name: "${name}" is reserved for the operator, use another name`]
        : []),
      ...(earlier === undefined ? [] : [`${field}.name: "${name}" is already used by ${earlier}`]),
      ...(sources.length === 1
        ? []
        : [
            `${field}: must have exactly one of ` +
              `${SOURCES.join(', ')}${sources.length === 0 ? '' : `, it has ${sources.join(' and ')}`}`,
          ]),
    ];
  });
}

function validateMounts(job: NotebookJob): string[] {
  const defined = new Set(job.volumes.map((volume) => textAt(volume, 'name')));
  const seen = new Map<string, number>();
  return objectsAt(job.podConfig, 'volumeMounts').flatMap((mount, index) => {
    const field = `spec.podConfig.volumeMounts[${index}]`;
    const [name, path] = [textAt(mount, 'name'), withoutTrailingSlash(textAt(mount, 'mountPath'))];
    const earlier = seen.get(path);
    seen.set(path, earlier ?? index);
    const reserved = RESERVED_PATHS.find((own) => path === own || path.startsWith(`${own}/`));
    return [
      ...(defined.has(name) ? [] : [`${field}.name: there is no volume "${name}"`]),
      ...(earlier === undefined ? [] : [`${field}.mountPath: ${path} is already used by volumeMounts[${earlier}]`]),
      ...(reserved === undefined ? [] : [`${field}.mountPath: ${reserved} is reserved for the operator`]),
    ];
  });
}

/** `/data/` is `/data`. */
function withoutTrailingSlash(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function validateResources({ podConfig }: NotebookJob): string[] {
  const resources = objectAt(podConfig, 'resources');
  return ['limits', 'requests'].flatMap((list) =>
    Object.keys(objectAt(resources, list) ?? {}).flatMap((name) => {
      const value = textAt(objectAt(resources, list), name);
      return isQuantity(value)
        ? []
        : [`spec.podConfig.resources.${list}.${name}: ${JSON.stringify(value)} is not a quantity`];
    }),
  );
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

function validateBuild({ build }: NotebookJob): string[] {
  if (build === undefined) return [];
  const field = 'spec.podConfig.buildConfig';
  const files = [
    ['dockerfile', build.dockerfile],
    ['requirementsFile', build.requirementsFile],
  ] as const;
  return [
    ...(build.strategy === 's2i'
      ? []
      : [
          `${field}.strategy: strategy ${build.strategy} is not supported: use s2i, or set a prebuilt image ` +
            'in containerImage',
        ]),
    ...files.flatMap(([name, file]) =>
      file === '' || (/^[a-zA-Z0-9._/-]+$/.test(file) && !file.startsWith('/') && !file.split('/').includes('..'))
        ? []
        : [`${field}.${name}: ${JSON.stringify(file)} must be a path inside the repository`],
    ),
    ...(/^[\w.:/@-]+$/.test(build.baseImage)
      ? []
      : [`${field}.baseImage: ${JSON.stringify(build.baseImage)} is not an image name`]),
  ];
}

/** `model` or `namespace/model`, of the job's own namespace. */
function validateModel({ model, namespace }: NotebookJob): string[] {
  return textsAt(model, 'targetModels').flatMap((text, index) => {
    const field = `spec.modelValidation.targetModels[${index}]`;
    const parts = text.split('/');
    if (parts.length > 2 || parts.includes(''))
      return [`${field}: ${JSON.stringify(text)} must be a model name, or namespace/name`];
    return parts.length === 2 && parts[0] !== namespace
      ? [`${field}: ${JSON.stringify(text)} is in another namespace`]
      : [];
  });
}
