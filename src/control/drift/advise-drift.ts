import { sourceFieldsOf, type SourceField } from '../../model/argo/index.js';
import { isArray, isObject, objectsAt, textAt, type JsonObject } from '../../model/json/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import type { Edit } from '../../triage/index.js';
import type { InspectedResource, Inspection } from '../inspect/index.js';
import { classOf, isImmutable, type DriftClass } from './drift-class.js';

/** One field that differs, whose it is, and what that means. */
export interface Advice {
  readonly key: Key;
  readonly pointer: string;
  readonly owner: string;
  readonly since: string;
  readonly class: DriftClass;
  /** One sentence: what to do. */
  readonly say: string;
}

/** What is wrong with one application against git, and the smallest change that settles it. */
export interface DriftAdvice {
  readonly application: KubeObject;
  readonly sync: string;
  readonly health: string;
  readonly errors: readonly string[];
  readonly advice: readonly Advice[];
  readonly warnings: readonly string[];
  /** The rules to add to `spec.ignoreDifferences`. */
  readonly rules: readonly JsonObject[];
  readonly needsRespect: boolean;
  /** The revision that it should follow. */
  readonly retarget: Edit | undefined;
  /** Changes of the application and of its manifests, for git. */
  readonly edits: readonly Edit[];
}

export interface DriftFacts {
  readonly application: KubeObject;
  readonly inspection: Inspection | undefined;
  /** Why it could not be inspected. */
  readonly failure: string;
  /** Every application, to see which revision is usual. */
  readonly siblings: readonly KubeObject[];
  /** HorizontalPodAutoscalers and ScaledObjects. */
  readonly autoscalers: readonly KubeObject[];
}

/** Classes whose cure is a rule. */
const IGNORED: readonly DriftClass[] = ['cluster-generated', 'operator-managed', 'immutable'];

export function adviseDrift(facts: DriftFacts): DriftAdvice {
  const { application, inspection, failure } = facts;
  const resources = (inspection?.resources ?? []).filter(
    (resource) => !resource.isHook && resource.differences.length > 0,
  );
  const advice = resources.flatMap((resource) => adviceFor(resource, facts));
  const branch = revisionAdvice(facts);
  const rules = ignoreRules(
    advice.filter((each) => IGNORED.includes(each.class)),
    inspection?.resources ?? [],
  );
  const needsRespect =
    rules.length > 0 && advice.some((each) => each.class === 'operator-managed' || each.class === 'immutable');
  const conditions = inspection?.conditions ?? [];
  return {
    application,
    sync: inspection?.status ?? 'Unknown',
    health: inspection?.health.status ?? 'Unknown',
    errors: [
      ...(failure === '' ? [] : [failure]),
      ...conditions.filter(({ type }) => type.endsWith('Error')).map(({ type, message }) => `${type}: ${message}`),
      ...lastSyncError(application),
    ],
    advice: [
      ...branch.advice,
      ...advice,
      ...conditions
        .filter(({ type }) => type === 'SharedResourceWarning')
        .map(({ message }) => shared(application, message)),
    ],
    warnings: [...hiddenSpecs(application), ...branch.warnings, ...secretsInGit(inspection)],
    rules,
    needsRespect,
    retarget: branch.edit,
    edits: editsOf(application, { rules, needsRespect, revision: branch.edit, advice }),
  };
}

function lastSyncError(application: KubeObject): string[] {
  const phase = textAt(application, 'status', 'operationState', 'phase');
  return phase === 'Failed' || phase === 'Error'
    ? [`SyncError: ${textAt(application, 'status', 'operationState', 'message')}`]
    : [];
}

function keyOf(application: KubeObject): Key {
  return {
    group: 'argoproj.io',
    kind: 'Application',
    namespace: application.metadata.namespace ?? '',
    name: application.metadata.name ?? '',
  };
}

function adviceFor(resource: InspectedResource, { autoscalers }: DriftFacts): Advice[] {
  const hasOtherSelector = resource.differences.some(
    ({ pointer }) => isImmutable(resource.key, pointer) && pointer.startsWith('/spec/selector'),
  );
  return resource.differences.map((difference) => {
    const known = classOf(resource.key, difference, autoscalers);
    // Labels of the template have to match the selector: whoever keeps one keeps the other.
    const drift =
      hasOtherSelector && difference.pointer.startsWith('/spec/template/metadata/labels') ? 'immutable' : known;
    return {
      key: resource.key,
      pointer: difference.pointer,
      owner: difference.owner,
      since: difference.since,
      class: drift,
      say: SAY[drift],
    };
  });
}

const SAY: Readonly<Record<DriftClass, string>> = {
  'cluster-generated': 'set by the cluster: ignore this path only',
  'operator-managed': 'owned by an operator: ignore this path, also during syncs',
  autoscaled: 'owned by an autoscaler: remove the field from git',
  immutable:
    'immutable: ignore it with RespectIgnoreDifferences=true, or recreate the object with ' +
    'Force=true,Replace=true (Replace=true alone does not)',
  'real drift': 'changed by hand: sync, or commit the change to git',
  'wrong branch': 'the application tracks a revision that the others no longer use: change targetRevision',
  'shared owner': 'deployed by two applications: keep it in one',
};

function shared(application: KubeObject, message: string): Advice {
  return {
    key: keyOf(application),
    pointer: '',
    owner: '',
    since: '',
    class: 'shared owner',
    say: `${SAY['shared owner']}: ${message}`,
  };
}

interface RevisionAdvice {
  readonly advice: readonly Advice[];
  readonly warnings: readonly string[];
  readonly edit: Edit | undefined;
}

/** A hydrator follows the branch that it writes: no advice about that one. */
function followedSources(application: KubeObject): SourceField[] {
  return sourceFieldsOf(application).filter(({ path }) => path[1] !== 'sourceHydrator');
}

/** The revision that four of five applications of the repository follow, where this one does not. */
function revisionAdvice({ application, siblings, inspection, failure }: DriftFacts): RevisionAdvice {
  for (const { source, path } of followedSources(application)) {
    const own = textAt(source, 'targetRevision') || 'HEAD';
    const others = siblings
      .filter((each) => each !== application && each.metadata.uid !== application.metadata.uid)
      .flatMap(followedSources)
      .filter(
        (each) => textAt(each.source, 'repoURL') === textAt(source, 'repoURL') && textAt(each.source, 'chart') === '',
      )
      .map((each) => textAt(each.source, 'targetRevision') || 'HEAD');
    const usual = [...new Set(others)].sort((a, b) => count(others, b) - count(others, a) || (a < b ? -1 : 1))[0];
    if (usual === undefined || usual === own) continue;
    const isBroken = inspection?.conditions.some(({ type }) => type === 'ComparisonError') === true || failure !== '';
    const isOutlier = others.length >= 3 && count(others, usual) / (others.length + 1) >= 0.6;
    if (!isBroken && !isOutlier) continue;
    const say =
      `${SAY['wrong branch']}: ${own} -> ${usual}, which ${count(others, usual)} of ${others.length + 1} ` + 'follow';
    const pointer = `/${[...path, 'targetRevision'].join('/')}`;
    return {
      advice: [{ key: keyOf(application), pointer, owner: '', since: '', class: 'wrong branch', say }],
      warnings: [
        `targetRevision ${own}: ${count(others, usual)} of ${others.length + 1} applications of this ` +
          `repository track ${usual}`,
      ],
      edit: { object: keyOf(application), path: [...path, 'targetRevision'], change: { kind: 'set', value: usual } },
    };
  }
  return { advice: [], warnings: [], edit: undefined };
}

const count = (list: readonly string[], word: string): number => list.filter((each) => each === word).length;

const MAX_POINTERS = 10;

/** One rule for each kind, or for each object where others of the kind are as git says. */
function ignoreRules(advice: readonly Advice[], resources: readonly InspectedResource[]): JsonObject[] {
  const byKind = new Map<string, Advice[]>();
  for (const each of advice)
    byKind.set(`${each.key.group}/${each.key.kind}`, [
      ...(byKind.get(`${each.key.group}/${each.key.kind}`) ?? []),
      each,
    ]);
  return [...byKind.values()].flatMap((ofKind) => {
    const [first] = ofKind;
    if (first === undefined) return [];
    const all = resources.filter(
      ({ key, isHook }) => !isHook && key.group === first.key.group && key.kind === first.key.kind,
    );
    const objects = [...new Map(ofKind.map(({ key }) => [`${key.namespace}/${key.name}`, key])).values()];
    const isWhole = objects.length >= all.length;
    return isWhole
      ? [rule(first.key, ofKind, false)]
      : objects.map((key) =>
          rule(
            key,
            ofKind.filter((each) => each.key.name === key.name && each.key.namespace === key.namespace),
            true,
          ),
        );
  });
}

function rule({ group, kind, name, namespace }: Key, advice: readonly Advice[], isNamed: boolean): JsonObject {
  const pointers = [...new Set(advice.map(({ pointer }) => pointer))].sort();
  const owners = [...new Set(advice.map(({ owner }) => owner))];
  const place = {
    ...(group === '' ? {} : { group }),
    kind,
    ...(isNamed ? { name, ...(namespace === '' ? {} : { namespace }) } : {}),
  };
  return pointers.length > MAX_POINTERS && !owners.includes('')
    ? { ...place, managedFieldsManagers: owners.sort() }
    : { ...place, jsonPointers: pointers };
}

/** Rules that hide more than anybody can have meant. */
function hiddenSpecs(application: KubeObject): string[] {
  return objectsAt(application, 'spec', 'ignoreDifferences').flatMap((each) => {
    const paths = [each.jsonPointers, each.jqPathExpressions].flatMap((list) =>
      isArray(list) ? list.map((each) => textAt(each)) : [],
    );
    const wide = paths.filter((path) => /^(\/|\.)?(spec)?\/?$/.test(path.trim()));
    return wide.length === 0
      ? []
      : [
          `ignoreDifferences of ${textAt(each, 'kind')} covers ` +
            `${wide.map((path) => (path === '' ? 'everything' : path)).join(', ')}: all drift is hidden; ` +
            'name the fields instead',
        ];
  });
}

/** Secrets whose values are in git as they are. */
function secretsInGit(inspection: Inspection | undefined): string[] {
  return (inspection?.resources ?? []).flatMap(({ key, target, origin }) => {
    const hasData =
      target !== undefined &&
      key.kind === 'Secret' &&
      key.group === '' &&
      [target.data, target.stringData].some((data) => isObject(data) && Object.keys(data).length > 0);
    return hasData
      ? [
          `Secret ${key.namespace}/${key.name} has its values in git${origin === '' ? '' : ` (${origin})`}: ` +
            'use an ExternalSecret or a SealedSecret',
        ]
      : [];
  });
}

function editsOf(
  application: KubeObject,
  {
    rules,
    needsRespect,
    revision,
    advice,
  }: {
    readonly rules: readonly JsonObject[];
    readonly needsRespect: boolean;
    readonly revision: Edit | undefined;
    readonly advice: readonly Advice[];
  },
): Edit[] {
  const object = keyOf(application);
  const replicas = advice
    .filter((each) => each.class === 'autoscaled')
    .map((each): Edit => ({ object: each.key, path: each.pointer.slice(1).split('/'), change: { kind: 'remove' } }));
  return [
    ...(revision === undefined ? [] : [revision]),
    ...replicas,
    ...rules.map((value): Edit => ({ object, path: ['spec', 'ignoreDifferences'], change: { kind: 'add', value } })),
    ...(needsRespect
      ? [
          {
            object,
            path: ['spec', 'syncPolicy', 'syncOptions'],
            change: { kind: 'add' as const, value: 'RespectIgnoreDifferences=true' },
          },
        ]
      : []),
  ];
}

/** The application with the advice applied, to inspect it again. */
export function advisedApplication({ application, rules, needsRespect, retarget, advice }: DriftAdvice): KubeObject {
  const copy = structuredClone(application);
  const spec = isObject(copy.spec) ? copy.spec : {};
  const before = isArray(spec.ignoreDifferences) ? spec.ignoreDifferences : [];
  // Replicas leave git by a patch of the manifest; here a rule has the same effect.
  const replicas = advice
    .filter((each) => each.class === 'autoscaled')
    .map(
      ({ key }): JsonObject => ({
        ...(key.group === '' ? {} : { group: key.group }),
        kind: key.kind,
        name: key.name,
        jsonPointers: ['/spec/replicas'],
      }),
    );
  spec.ignoreDifferences = [...before, ...rules, ...replicas];
  const policy = isObject(spec.syncPolicy) ? spec.syncPolicy : {};
  if (needsRespect)
    spec.syncPolicy = {
      ...policy,
      syncOptions: [...(isArray(policy.syncOptions) ? policy.syncOptions : []), 'RespectIgnoreDifferences=true'],
    };
  follow(spec, retarget);
  return { ...copy, spec };
}

/** The application on the revision that it should follow, to see what differs there. */
export function retargeted({ application, retarget }: DriftAdvice): KubeObject {
  const copy = structuredClone(application);
  if (isObject(copy.spec)) follow(copy.spec, retarget);
  return copy;
}

function follow(spec: JsonObject, retarget: Edit | undefined): void {
  if (retarget === undefined || retarget.change.kind !== 'set') return;
  const source =
    retarget.path[1] === 'sources' && isArray(spec.sources) ? spec.sources[Number(retarget.path[2])] : spec.source;
  if (isObject(source)) source.targetRevision = retarget.change.value;
}

/** The advice about the revision, then what is advised once it is followed. */
export function onRevision(first: DriftAdvice, there: DriftAdvice): DriftAdvice {
  const branch = first.advice.filter((each) => each.class === 'wrong branch');
  return {
    ...first,
    advice: [...branch, ...there.advice],
    rules: there.rules,
    needsRespect: there.needsRespect,
    edits: [...(first.retarget === undefined ? [] : [first.retarget]), ...there.edits],
    warnings: [...new Set([...first.warnings, ...there.warnings])],
  };
}
