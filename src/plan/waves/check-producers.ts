import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { blockWaveOf, builtImage, imageText, podImages, imagesNamed, podReferences } from '../sync/index.js';
import {
  comparePlacedObjects,
  earliest,
  placedName,
  placeText,
  type PlacedObject,
  type WaveViolation,
} from './placed-object.js';

/**
 * What is made by something that takes its time: an image by a build, a Secret by a controller, a model by a notebook.
 * Whoever needs it must come in a later wave, because only a wave waits for the one before.
 */
export function checkProducers(all: readonly PlacedObject[], destinationNamespace: string): WaveViolation[] {
  return all.flatMap((user) => [
    ...imagesLater(user, all, destinationNamespace),
    ...secretsBeside(user, all),
    ...claimsLater(user, all),
    ...modelsLater(user, all),
    ...checkedModelsLater(user, all),
  ]);
}

function sharesNamespace(a: PlacedObject, b: PlacedObject): boolean {
  return a.key.namespace === b.key.namespace;
}

/** An image that a BuildConfig of the same or a later step builds. */
function imagesLater(user: PlacedObject, all: readonly PlacedObject[], namespace: string): WaveViolation[] {
  const wanted = new Set([...imagesNamed(user.object, namespace), ...podImages(user.object)].map(imageText));
  if (wanted.size === 0) return [];
  const builders = all.filter(({ object }) => {
    const built = builtImage(object, namespace);
    return built !== undefined && wanted.has(imageText(built));
  });
  return builders
    .filter((builder) => comparePlacedObjects(builder, user) >= 0)
    .map(
      (builder): WaveViolation => ({
        rule: 'image-later',
        key: user.key,
        message:
          `${placedName(user)} (${placeText(user)}) runs an image that ${placedName(builder)} builds ` +
          `${where(builder, user)}: its pods cannot pull it in a first sync` +
          (comparePlacedObjects(builder, user) === 0
            ? '; Argosy applies it when the image is there, Argo CD at once'
            : ''),
        hint: `put ${placedName(builder)} in an earlier wave than ${placedName(user)}`,
      }),
    );
}

function where(maker: PlacedObject, user: PlacedObject): string {
  return comparePlacedObjects(maker, user) === 0 ? 'in the same step' : `later (${placeText(maker)})`;
}

/**
 * A Secret that a controller makes of an object of the same step, and one that comes too late for a build or a
 * notebook.
 */
function secretsBeside(user: PlacedObject, all: readonly PlacedObject[]): WaveViolation[] {
  return secretsOf(user.object).flatMap((name) => {
    const maker = earliest(
      all.filter(
        (each) => sharesNamespace(each, user) && (isSecret(each.object, name) || producedSecret(each.object) === name),
      ),
    );
    if (maker === undefined || comparePlacedObjects(maker, user) < 0) return [];
    const isBeside = comparePlacedObjects(maker, user) === 0;
    // Within a step Secrets come first; what pods miss until a later one is told by another rule.
    if (isBeside ? isSecret(maker.object, name) : podReferences(user.object).length > 0) return [];
    return [
      {
        rule: isBeside ? ('secret-beside' as const) : ('needed-later' as const),
        key: user.key,
        message:
          `${placedName(user)} (${placeText(user)}) needs Secret ${name}, which ` +
          `${isSecret(maker.object, name) ? 'comes' : `${placedName(maker)} makes`} ` +
          (isBeside ? 'in the same step: nothing waits for it' : `later (${placeText(maker)})`),
        hint: `put ${placedName(maker)} in wave ${user.wave - 1} or earlier`,
      },
    ];
  });
}

function isSecret(object: KubeObject, name: string): boolean {
  return object.kind === 'Secret' && object.apiVersion === 'v1' && object.metadata.name === name;
}

function secretsOf(object: KubeObject): string[] {
  const spec = isObject(object.spec) ? object.spec : {};
  const named = podReferences(object)
    .filter(({ kind }) => kind === 'Secret')
    .map(({ name }) => name);
  switch (object.kind) {
    case 'BuildConfig':
      return [nameIn(spec.source, 'sourceSecret'), nameIn(spec.output, 'pushSecret')].filter((name) => name !== '');
    case 'NotebookValidationJob': {
      const git = isObject(spec.notebook) && isObject(spec.notebook.git) ? spec.notebook.git : {};
      return typeof git.credentialsSecret === 'string' ? [git.credentialsSecret] : [];
    }
    default:
      return named;
  }
}

function nameIn(value: Json | undefined, field: 'sourceSecret' | 'pushSecret'): string {
  if (!isObject(value)) return '';
  const inner = field === 'sourceSecret' ? value.sourceSecret : value.pushSecret;
  return isObject(inner) && typeof inner.name === 'string' ? inner.name : '';
}

/** The Secret that the controller of an object makes. */
export function producedSecret(object: KubeObject): string | undefined {
  const spec = isObject(object.spec) ? object.spec : {};
  switch (`${object.apiVersion.split('/')[0] ?? ''}/${object.kind}`) {
    case 'external-secrets.io/ExternalSecret':
      return isObject(spec.target) && typeof spec.target.name === 'string' ? spec.target.name : object.metadata.name;
    case 'bitnami.com/SealedSecret':
      return object.metadata.name;
    case 'cert-manager.io/Certificate':
      return typeof spec.secretName === 'string' ? spec.secretName : undefined;
    default:
      return undefined;
  }
}

/** A claim that notebooks and model servers use and that comes later; pods are looked at elsewhere. */
function claimsLater(user: PlacedObject, all: readonly PlacedObject[]): WaveViolation[] {
  const claims = [...notebookClaims(user.object).map(({ claim }) => claim), ...modelClaims(user.object)];
  return [...new Set(claims)].flatMap((name) => {
    const claim = earliest(
      all.filter(
        (each) =>
          sharesNamespace(each, user) &&
          each.object.kind === 'PersistentVolumeClaim' &&
          each.object.metadata.name === name,
      ),
    );
    if (claim === undefined || comparePlacedObjects(claim, user) <= 0) return [];
    return [
      {
        rule: 'claim-later' as const,
        key: user.key,
        message:
          `${placedName(user)} (${placeText(user)}) uses PersistentVolumeClaim ${name}, which comes later ` +
          `(${placeText(claim)})`,
        hint: `put PersistentVolumeClaim ${name} in wave ${user.wave} or earlier`,
      },
    ];
  });
}

/** A model, or data, of a claim that a notebook of the same or a later step writes, or one that lets this step pass. */
function modelsLater(user: PlacedObject, all: readonly PlacedObject[]): WaveViolation[] {
  const read = [
    ...modelClaims(user.object),
    ...notebookClaims(user.object)
      .filter(({ isRead }) => isRead)
      .map(({ claim }) => claim),
  ];
  const writers = all.filter(
    (each) =>
      each.object !== user.object &&
      sharesNamespace(each, user) &&
      notebookClaims(each.object).some(({ claim, isRead }) => !isRead && read.includes(claim)),
  );
  const isModel = user.object.kind === 'InferenceService';
  return writers
    .filter((writer) => comparePlacedObjects(writer, user) >= 0 || passes(writer, user))
    .map(
      (writer): WaveViolation => ({
        rule: isModel ? 'model-later' : 'notebook-later',
        key: user.key,
        message:
          `${placedName(user)} (${placeText(user)}) ${isModel ? 'serves the model' : 'reads the data'} that ` +
          `${placedName(writer)} writes ` +
          (passes(writer, user)
            ? `and does not wait for it: ${placedName(writer)} holds wave ` +
              `${blockWaveOf({ target: writer.object }) ?? 0} only`
            : where(writer, user)),
        hint: passes(writer, user)
          ? `set mlops.dev/block-wave of ${placedName(writer)} to ${user.wave} or less`
          : `put ${placedName(writer)} in an earlier wave than ${placedName(user)}`,
      }),
    );
}

/** An earlier notebook that holds only a wave behind that of its user. */
function passes(writer: PlacedObject, user: PlacedObject): boolean {
  const block = blockWaveOf({ target: writer.object });
  return (
    comparePlacedObjects(writer, user) < 0 && writer.phase === user.phase && block !== undefined && block > user.wave
  );
}

/** A notebook that asks a model which is not served before. */
function checkedModelsLater(user: PlacedObject, all: readonly PlacedObject[]): WaveViolation[] {
  const spec = isObject(user.object.spec) ? user.object.spec : {};
  if (
    user.object.kind !== 'NotebookValidationJob' ||
    !isObject(spec.modelValidation) ||
    spec.modelValidation.phase === 'clean'
  )
    return [];
  const names = isArray(spec.modelValidation.targetModels)
    ? spec.modelValidation.targetModels.map((each) => String(each).split('/').at(-1) ?? '')
    : [];
  const models = all.filter(
    (each) => each.object.kind === 'InferenceService' && sharesNamespace(each, user) && names.includes(each.key.name),
  );
  return models
    .filter((model) => comparePlacedObjects(model, user) >= 0)
    .map(
      (model): WaveViolation => ({
        rule: 'model-later',
        key: user.key,
        message:
          `${placedName(user)} (${placeText(user)}) asks ${placedName(model)}, which comes ` + where(model, user),
        hint: `put ${placedName(model)} in an earlier wave than ${placedName(user)}`,
      }),
    );
}

/** The claim of `pvc://CLAIM/PATH`. */
function modelClaims(object: KubeObject): string[] {
  if (object.kind !== 'InferenceService' || !isObject(object.spec)) return [];
  const predictor = isObject(object.spec.predictor) ? object.spec.predictor : {};
  return Object.values(predictor)
    .filter(isObject)
    .flatMap(({ storageUri }) =>
      typeof storageUri === 'string' ? (/^pvc:\/\/([^/]+)/.exec(storageUri)?.[1] ?? []) : [],
    );
}

/** The claims that a notebook mounts, and whether it can only read them. */
function notebookClaims(object: KubeObject): { readonly claim: string; readonly isRead: boolean }[] {
  if (object.kind !== 'NotebookValidationJob' || !isObject(object.spec)) return [];
  const pod = isObject(object.spec.podConfig) ? object.spec.podConfig : {};
  const volumes = [...items(pod.volumes), ...items(object.spec.volumes)];
  return volumes.flatMap((volume) => {
    const claim = isObject(volume.persistentVolumeClaim) ? volume.persistentVolumeClaim : undefined;
    if (typeof claim?.claimName !== 'string') return [];
    const mounts = items(pod.volumeMounts).filter(({ name }) => name === volume.name);
    return [
      {
        claim: claim.claimName,
        isRead: claim.readOnly === true || (mounts.length > 0 && mounts.every(({ readOnly }) => readOnly === true)),
      },
    ];
  });
}

function items(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
