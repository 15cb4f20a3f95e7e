import { compileRules } from '../../diff/index.js';
import { compareText } from '../../model/go/index.js';
import { createMergePatch } from '../../model/patch/index.js';
import { type JsonObject, isObject, objectsAt, textsAt } from '../../model/json/index.js';
import { projectOf, readIgnoreRule } from '../../model/argo/index.js';
import { nameOf, type KubeObject, type OwnerReference } from '../../model/kubernetes/index.js';
import { CHANGE_ANNOTATION, NOTIFIED_ANNOTATION } from '../notify/index.js';
import { RESOURCES_FINALIZER } from '../generators/index.js';
import { normalSpec } from './normal-spec.js';
import type { SetPolicy } from './policy.js';

/** Written by controllers and by people who ask for something: no template knows them. */
const KEPT_ANNOTATIONS = [
  NOTIFIED_ANNOTATION,
  CHANGE_ANNOTATION,
  'argocd.argoproj.io/refresh',
  'argocd.argoproj.io/hydrate',
];
const KEPT_FINALIZERS = ['pre-delete-finalizer.argocd.argoproj.io', 'post-delete-finalizer.argocd.argoproj.io'];

export interface SetPlanInput {
  readonly set: KubeObject;
  readonly generated: readonly KubeObject[];
  /** All Applications of the namespace of the set. */
  readonly live: readonly KubeObject[];
  readonly policy: SetPolicy;
  readonly preserved: { readonly annotations: readonly string[]; readonly labels: readonly string[] };
  /** Why an Application may not be: its project is not there, or does not allow it. */
  readonly findViolation: (application: KubeObject) => string | undefined;
  /**
   * Whether an Application goes to a cluster that is known: where it is not, nobody can take back what it delivered.
   */
  readonly hasCluster: (application: KubeObject) => boolean;
}

export interface SetPlan {
  readonly create: readonly KubeObject[];
  readonly update: readonly { readonly live: KubeObject; readonly patch: JsonObject }[];
  /** `keepsObjects`: the Application goes without what it delivered. */
  readonly remove: readonly { readonly live: KubeObject; readonly keepsObjects: boolean }[];
  readonly rejected: readonly { readonly name: string; readonly message: string }[];
}

/** What makes the Applications of a set as they were generated. What is refused is neither written nor deleted. */
export function planApplications(situation: SetPlanInput): SetPlan {
  const { set, generated, live, policy } = situation;
  const refused = findViolations(situation);
  const names = new Set(generated.map(nameOf));
  const valid = generated
    .filter((application) => !refused.has(nameOf(application)))
    .sort((a, b) => compareText(nameOf(a), nameOf(b)));
  const byName = new Map(live.map((application) => [nameOf(application), application]));
  const changes = createPatcher(situation);
  return {
    create: valid
      .filter((application) => !byName.has(nameOf(application)))
      .map((application) => ({
        ...application,
        metadata: { ...application.metadata, ownerReferences: [ownerOf(set)] },
        spec: normalSpec(specOf(application)),
      })),
    update: policy.mayUpdate
      ? valid.flatMap((application) => {
          const before = byName.get(nameOf(application));
          const patch =
            before === undefined || before.metadata.deletionTimestamp !== undefined
              ? undefined
              : changes(application, before);
          return before === undefined || patch === undefined ? [] : [{ live: before, patch }];
        })
      : [],
    remove: policy.mayDelete
      ? live
          .filter(
            (application) =>
              isOwnedBy(application, set) &&
              !names.has(nameOf(application)) &&
              application.metadata.deletionTimestamp === undefined,
          )
          .map((application) => ({
            live: application,
            keepsObjects: policy.preservesResources || !situation.hasCluster(application),
          }))
      : [],
    rejected: [...refused].map(([name, message]) => ({ name, message })).sort((a, b) => compareText(a.name, b.name)),
  };
}

function findViolations({ set, generated, live, findViolation }: SetPlanInput): Map<string, string> {
  const counts = new Map<string, number>();
  for (const application of generated) counts.set(nameOf(application), (counts.get(nameOf(application)) ?? 0) + 1);
  const byName = new Map(live.map((application) => [nameOf(application), application]));
  const controlled = new Map(
    live.flatMap((application) => {
      const owner = controllerOf(application);
      return owner === undefined || owner.uid === set.metadata.uid ? [] : [[nameOf(application), owner] as const];
    }),
  );
  return new Map(
    generated.flatMap((application) => {
      const name = nameOf(application);
      const owner = controlled.get(name);
      if ((counts.get(name) ?? 0) > 1)
        return [
          [
            name,
            `ApplicationSet ${set.metadata.name ?? ''} contains applications with duplicate name: ${name}`,
          ] as const,
        ];
      const there = byName.get(name);
      // Whoever writes a set of one project must not take over, nor name, what another project has.
      if (there !== undefined && !isOwnedBy(there, set) && projectOf(there) !== projectOf(application))
        return [[name, `Application ${name} exists already and belongs to another project`] as const];
      if (owner !== undefined) return [[name, `Application ${name} belongs to ${owner.kind} ${owner.name}`] as const];
      const violation = findViolation(application);
      return violation === undefined ? [] : [[name, violation] as const];
    }),
  );
}

/**
 * A merge patch from what is there to what was generated, without what the set ignores; undefined where nothing
 * differs.
 */
function createPatcher({
  set,
  preserved,
}: SetPlanInput): (application: KubeObject, live: KubeObject) => JsonObject | undefined {
  const rules = compileRules({
    ignoreDifferences: objectsAt(set, 'spec', 'ignoreApplicationDifferences').map((raw, index) => ({
      ...readIgnoreRule(raw, `spec.ignoreApplicationDifferences[${index}]`),
      group: 'argoproj.io',
      kind: 'Application',
      namespace: '',
    })),
  });
  const kept = {
    annotations: [
      ...KEPT_ANNOTATIONS,
      ...preserved.annotations,
      ...textsAt(set, 'spec', 'preservedFields', 'annotations'),
    ],
    labels: [...preserved.labels, ...textsAt(set, 'spec', 'preservedFields', 'labels')],
  };
  return (application, live) => {
    const { labels = {}, annotations = {}, finalizers = [] } = application.metadata;
    const has = live.metadata;
    const wanted = managedFields(
      live,
      {
        labels: { ...labels, ...chosen(has.labels ?? {}, kept.labels) },
        annotations: { ...annotations, ...chosen(has.annotations ?? {}, kept.annotations) },
        finalizers: [
          ...finalizers,
          ...(has.finalizers ?? []).filter(
            (name) => KEPT_FINALIZERS.some((start) => name.startsWith(start)) && !finalizers.includes(name),
          ),
        ],
        ownerReferences: isOwnedBy(live, set)
          ? (has.ownerReferences ?? [])
          : [...(has.ownerReferences ?? []), ownerOf(set)],
      },
      specOf(application),
    );
    const now = managedFields(live, has, specOf(live));
    const patch = createMergePatch(rules.strip(now, rules.for(now)), rules.strip(wanted, rules.for(wanted)));
    return Object.keys(patch).length === 0 ? undefined : patch;
  };
}

/** What a set decides about an Application, and nothing else of it. */
function managedFields(
  { apiVersion, kind, metadata: { name = '', namespace = '' } }: KubeObject,
  { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] }: KubeObject['metadata'],
  spec: JsonObject,
): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, annotations, finalizers, ownerReferences },
    spec: normalSpec(spec),
  };
}

function chosen(texts: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => names.includes(name)));
}

function specOf({ spec }: KubeObject): JsonObject {
  return isObject(spec) ? spec : {};
}

function ownerOf({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function controllerOf({ metadata: { ownerReferences = [] } }: KubeObject): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller === true);
}

export function isOwnedBy(application: KubeObject, set: KubeObject): boolean {
  return controllerOf(application)?.uid === set.metadata.uid && set.metadata.uid !== undefined;
}

/** The name of the set that an Application belongs to. */
export function setOf(application: KubeObject): string | undefined {
  const owner = controllerOf(application);
  return owner?.kind === 'ApplicationSet' && owner.apiVersion.startsWith('argoproj.io/') ? owner.name : undefined;
}

/** Without the finalizer nobody takes back what the Application delivered. */
export function withoutCascade({ metadata: { finalizers = [] } }: KubeObject): string[] | undefined {
  const left = finalizers.filter((name) => name !== RESOURCES_FINALIZER && !name.startsWith(`${RESOURCES_FINALIZER}/`));
  return left.length === finalizers.length ? undefined : left;
}
