import { compareText } from '../../model/go/index.js';
import { gvkOf, keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { isHook, SYNC_PHASES, type SyncPhase } from '../../model/argo/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { syncPhasesOf, annotationOf, podSpecOf, waveOf } from '../sync/index.js';
import { mergeNeeds, readCommand, readScripts, type Need, type CommandNeeds } from './cluster-calls.js';
import { isAuthorized, type ServiceAccountName, type AccessRequest } from './rbac.js';

/** What a resource is called where rules name it. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

export interface HookCheckInput {
  /** As git has them, with their namespaces. */
  readonly objects: readonly KubeObject[];
  readonly destinationNamespace: string;
  /** Roles and bindings of the cluster; undefined with the reason where they cannot be read. */
  readonly live: () => readonly KubeObject[] | { readonly unreadable: string };
  /** What a word of a command line means: plural, singular, short name, with or without group. */
  readonly resolve: (word: string) => ResourceName | undefined;
  /** A ConfigMap of the cluster, for scripts that git does not have. */
  readonly configMap: (namespace: string, name: string) => KubeObject | undefined;
}

/**
 * What was found about one hook. Without a finding it may do all that its commands name. `waits`: it waits for what the
 * sync only creates after it.
 */
export interface HookFinding {
  readonly kind: 'missing' | 'later' | 'unchecked' | 'waits';
  readonly key: Key;
  readonly message: string;
  /** Manifests to add to git, as YAML; empty where none would help. */
  readonly add: string;
}

const NEEDS = 'argosy.dev/needs';
const RBAC = 'rbac.authorization.k8s.io';

interface Place {
  readonly phase: SyncPhase;
  readonly wave: number;
}

/**
 * Whether the hooks of a sync may do what their commands do, with what the cluster has and what the sync brings before
 * them.
 */
export function checkHooks(question: HookCheckInput): HookFinding[] {
  const hooks = question.objects.filter((object) => isHook(object) && podSpecOf(object) !== undefined);
  return hooks
    .flatMap((hook) => {
      const phase = syncPhasesOf(hook)[0];
      return phase === undefined ? [] : checkHook(question, hook, { phase, wave: waveOf(hook) });
    })
    .sort((a, b) => compareText(keyText(a.key), keyText(b.key)) || compareText(a.message, b.message));
}

/** Whether any hook does something that rights are needed for. */
export function hasHooksToCheck(objects: readonly KubeObject[]): boolean {
  return objects.some((object) => isHook(object) && podSpecOf(object) !== undefined);
}

function checkHook(question: HookCheckInput, hook: KubeObject, at: Place): HookFinding[] {
  const key = {
    ...keyOf(hook),
    namespace: hook.metadata.namespace ?? question.destinationNamespace,
    name: hook.metadata.name ?? hook.metadata.generateName ?? '',
  };
  const reading = readHook(question, hook, key.namespace);
  const unchecked = (why: string): HookFinding => ({
    kind: 'unchecked',
    key,
    message: `the rights of ${key.kind}/${key.name} are not checked: ${why}`,
    add: '',
  });
  const { asked, unknown } = resolveAll(question, reading, key.namespace);
  const doubts = [...reading.unknown, ...unknown];
  const findings = [...doubts.map(unchecked), ...waitsForLater(question, key, at, asked)];
  if (asked.length === 0)
    return findings.length > 0 || reading.isStated
      ? findings
      : [
          unchecked(
            `no call of kubectl or oc is recognised in its command. Say what it needs with ${NEEDS}, or "none"`,
          ),
        ];
  const live = question.live();
  if ('unreadable' in live) return [...findings, unchecked(live.unreadable)];
  const pod = podSpecOf(hook) ?? {};
  const account: ServiceAccountName = {
    namespace: key.namespace,
    name: text(pod.serviceAccountName) || text(pod.serviceAccount) || 'default',
  };
  const before = rightsAt(question, live, at);
  const refused = asked.filter((each) => !isAuthorized(before, account, each.request));
  if (refused.length === 0) return findings;
  const all = rightsAt(question, live, undefined);
  const later = refused.filter((each) => isAuthorized(all, account, each.request));
  const missing = refused.filter((each) => !later.includes(each));
  const who =
    `${key.kind}/${key.name} (${at.phase}, wave ${at.wave}) runs as ServiceAccount ` +
    `${account.namespace}/${account.name}, which may not`;
  return [
    ...findings,
    ...(later.length > 0
      ? [
          {
            kind: 'later' as const,
            key,
            message:
              `${who} ${formatAccess(later)} before the sync brings ${lateRights(question, at)}. Put that in wave ` +
              `${at.wave} of ${at.phase} or earlier`,
            add: '',
          },
        ]
      : []),
    ...(missing.length > 0
      ? [
          {
            kind: 'missing' as const,
            key,
            message: `${who} ${formatAccess(missing)}. Add this to git, in wave ${at.wave} of ${at.phase} or earlier`,
            add: remedy(missing, account, { name: key.name.replace(/-$/, ''), at }),
          },
        ]
      : []),
  ];
}

interface RequiredAccess {
  readonly request: AccessRequest;
  readonly command: string;
  readonly isAwaited: boolean;
}

/** An object of the sync that a hook asks for until it is there, and that comes after the hook. */
function waitsForLater(question: HookCheckInput, key: Key, at: Place, asked: readonly RequiredAccess[]): HookFinding[] {
  const found = new Map<string, HookFinding>();
  for (const { request, command, isAwaited } of asked) {
    if (!isAwaited || request.name === '' || request.subresource !== '') continue;
    const awaited = question.objects.find((object) => isLater(object, at) && isAsked(question, object, request));
    const phase = awaited === undefined ? undefined : syncPhasesOf(awaited)[0];
    if (awaited === undefined || phase === undefined) continue;
    const name = `${awaited.kind}/${awaited.metadata.name ?? ''}`;
    const instead =
      phase === 'Sync'
        ? 'Remove the hook, because a wave begins when the one before is Healthy, or make it a Sync hook after wave ' +
          String(waveOf(awaited))
        : `Put the hook behind it`;
    found.set(name, {
      kind: 'waits',
      key,
      message:
        `${key.kind}/${key.name} (${at.phase}, wave ${at.wave}) waits for ${name} ("${command}"), which this sync ` +
        `only creates after it (${phase}, wave ${waveOf(awaited)}): a first sync waits for ever. ${instead}`,
      add: '',
    });
  }
  return [...found.values()];
}

function isAsked(
  { resolve, destinationNamespace }: HookCheckInput,
  object: KubeObject,
  request: AccessRequest,
): boolean {
  const { group, kind } = gvkOf(object);
  if (object.metadata.name !== request.name || group !== request.group) return false;
  const known = resolve(`${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`);
  const namespace = known?.namespaced === false ? '' : (object.metadata.namespace ?? destinationNamespace);
  return known?.resource === request.resource && namespace === request.namespace;
}

interface HookNeeds extends CommandNeeds {
  /** The hook says itself what it needs. */
  readonly isStated: boolean;
}

function readHook(question: HookCheckInput, hook: KubeObject, namespace: string): HookNeeds {
  const stated = annotationOf(hook, NEEDS);
  if (stated !== undefined) return { ...parseStatedNeeds(stated), isStated: true };
  const pod = podSpecOf(hook) ?? {};
  const containers = [...items(pod.initContainers), ...items(pod.containers)];
  return {
    ...mergeNeeds(containers.map((container) => readContainer(question, container, pod, namespace))),
    isStated: false,
  };
}

/** `get,list builds.build.openshift.io/NAME -n NAMESPACE`, one for each line or semicolon; `none` for nothing. */
function parseStatedNeeds(stated: string): CommandNeeds {
  const lines = stated
    .split(/[\n;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'none');
  return mergeNeeds(
    lines.map((line): CommandNeeds => {
      const [, verbs = '', resource = '', name = '', namespace] =
        /^([a-z,]+)\s+([a-z0-9./-]+?)(?:\/([A-Za-z0-9.:_-]+))?(?:\s+(?:-n|--namespace)[ =]?(\S+))?$/.exec(line) ?? [];
      if (resource === '')
        return {
          needs: [],
          unknown: [`${NEEDS} has "${line}", it must be VERB[,VERB] RESOURCE[.GROUP][/NAME] [-n NAMESPACE]`],
        };
      return {
        needs: verbs
          .split(',')
          .filter((verb) => verb !== '')
          .map(
            (verb): Need => ({
              verb,
              resource,
              subresource: '',
              name,
              command: `${NEEDS}: ${line}`,
              ...(namespace === undefined ? {} : { namespace }),
            }),
          ),
        unknown: [],
      };
    }),
  );
}

function readContainer(
  question: HookCheckInput,
  container: JsonObject,
  pod: JsonObject,
  namespace: string,
): CommandNeeds {
  const words = [...textsOf(container.command), ...textsOf(container.args)];
  const scripts = mountedScripts(question, container, pod, namespace, words.join(' '));
  return mergeNeeds([readCommand(words), readScripts(scripts.texts), { needs: [], unknown: scripts.unknown }]);
}

/** Scripts of ConfigMaps that the command runs, by the path where they are mounted. */
function mountedScripts(
  { objects, configMap }: HookCheckInput,
  container: JsonObject,
  pod: JsonObject,
  namespace: string,
  command: string,
): { texts: string[]; unknown: string[] } {
  const [found, unknown]: [string[], string[]] = [[], []];
  for (const mount of items(container.volumeMounts)) {
    const path = text(mount.mountPath).replace(/\/$/, '');
    const volume = items(pod.volumes).find(({ name }) => name === mount.name);
    if (path === '' || !command.includes(path) || !isObject(volume?.configMap)) continue;
    const name = text(volume.configMap.name);
    const map =
      objects.find(
        (object) =>
          gvkOf(object).kind === 'ConfigMap' &&
          object.metadata.name === name &&
          (object.metadata.namespace ?? namespace) === namespace,
      ) ?? configMap(namespace, name);
    const data = isObject(map?.data) ? map.data : undefined;
    if (data === undefined) unknown.push(`its script is in ConfigMap ${name}, which cannot be read here`);
    else
      found.push(
        ...Object.keys(data)
          .filter((file) => command.includes(`${path}/${file}`) || text(mount.subPath) === file)
          .map((file) => text(own(data, file))),
      );
  }
  return { texts: found, unknown };
}

function resolveAll(
  { resolve }: HookCheckInput,
  { needs }: CommandNeeds,
  podNamespace: string,
): { asked: RequiredAccess[]; unknown: string[] } {
  const unknown = new Set<string>();
  const asked = new Map<string, RequiredAccess>();
  for (const { verb, resource, subresource, name, namespace, command, isAwaited = false } of needs) {
    const known = resolve(resource.toLowerCase());
    if (known === undefined) {
      unknown.add(`"${command}": the cluster does not serve ${resource}`);
      continue;
    }
    const question: AccessRequest = {
      verb,
      group: known.group,
      resource: known.resource,
      subresource,
      name,
      namespace: known.namespaced ? (namespace ?? podNamespace) : '',
    };
    const id = JSON.stringify(question);
    asked.set(id, { request: question, command, isAwaited: isAwaited || (asked.get(id)?.isAwaited ?? false) });
  }
  return { asked: [...asked.values()], unknown: [...unknown] };
}

/**
 * Roles and bindings that are there at a place of the sync, or after all of it. What the sync brings replaces what the
 * cluster has.
 */
function rightsAt(
  { objects, destinationNamespace }: HookCheckInput,
  live: readonly KubeObject[],
  at: Place | undefined,
): KubeObject[] {
  const brought = objects
    .filter((object) => isRights(object) && (at === undefined || !isLater(object, at)))
    .map((object) => withNamespace(object, destinationNamespace));
  const keys = new Set(brought.map((object) => keyText(keyOf(object))));
  return [...brought, ...live.filter((object) => !keys.has(keyText(keyOf(object))))];
}

function isRights(object: KubeObject): boolean {
  return gvkOf(object).group === RBAC;
}

function isLater(object: KubeObject, { phase, wave }: Place): boolean {
  const own = syncPhasesOf(object)[0];
  if (own === undefined) return true;
  return (SYNC_PHASES.indexOf(own) - SYNC_PHASES.indexOf(phase) || waveOf(object) - wave) > 0;
}

function withNamespace(object: KubeObject, namespace: string): KubeObject {
  if (object.kind.startsWith('Cluster') || object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function lateRights({ objects }: HookCheckInput, at: Place): string {
  return objects
    .filter((object) => isRights(object) && isLater(object, at))
    .map(
      (object) =>
        `${object.kind}/${object.metadata.name ?? ''} (${syncPhasesOf(object)[0] ?? 'never'}, wave ${waveOf(object)})`,
    )
    .join(', ');
}

/** `get imagestreamtags.image.openshift.io in namespace shop ("oc get imagestreamtag nv:latest")`. */
function formatAccess(asked: readonly RequiredAccess[]): string {
  const lines = new Map<string, { verbs: string[]; command: string }>();
  for (const {
    request: { verb, group, resource, subresource, namespace },
    command,
  } of asked) {
    const what =
      `${resource}${subresource === '' ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`} ` +
      (namespace === '' ? 'in the whole cluster' : `in namespace ${namespace}`);
    const line = lines.get(what) ?? { verbs: [], command };
    line.verbs.push(verb);
    lines.set(what, line);
  }
  return [...lines]
    .map(([what, { verbs, command }]) => `${[...new Set(verbs)].join(', ')} ${what} ("${command}")`)
    .join('; ');
}

/** The Role and the binding that are missing, as a file of manifests has them, at the place where they are needed. */
function remedy(
  missing: readonly RequiredAccess[],
  account: ServiceAccountName,
  hook: { readonly name: string; readonly at: Place },
): string {
  const spaces = new Set(missing.map(({ request }) => request.namespace));
  return [...spaces]
    .sort()
    .flatMap((namespace) => {
      const rules = rulesFor(missing.filter(({ request }) => request.namespace === namespace));
      const { name } = hook;
      const metadata = { name, ...(namespace === '' ? {} : { namespace }), ...placeOf(hook.at) };
      const kind = namespace === '' ? 'ClusterRole' : 'Role';
      return [
        { apiVersion: `${RBAC}/v1`, kind, metadata, rules },
        {
          apiVersion: `${RBAC}/v1`,
          kind: `${kind}Binding`,
          metadata,
          roleRef: { apiGroup: RBAC, kind, name },
          subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
        },
      ];
    })
    .map((object) => writeYaml(object))
    .join('---\n');
}

/** Annotations that bring an object no later than a hook. */
function placeOf({ phase, wave }: Place): { readonly annotations?: Readonly<Record<string, string>> } {
  const annotations = {
    ...(phase === 'PreSync' ? { 'argocd.argoproj.io/hook': phase } : {}),
    ...(wave === 0 ? {} : { 'argocd.argoproj.io/sync-wave': String(wave) }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** The fewest rules that say exactly what is missing. */
function rulesFor(missing: readonly RequiredAccess[]): JsonObject[] {
  const verbs = new Map<string, Set<string>>();
  for (const {
    request: { group, resource, subresource, verb },
  } of missing) {
    const what = `${group}\n${subresource === '' ? resource : `${resource}/${subresource}`}`;
    verbs.set(what, (verbs.get(what) ?? new Set()).add(verb));
  }
  const rules = new Map<string, { group: string; resources: string[]; verbs: string[] }>();
  for (const [what, wanted] of [...verbs].sort(([a], [b]) => compareText(a, b))) {
    const [group = '', resource = ''] = what.split('\n');
    const list = [...wanted].sort();
    const rule = rules.get(`${group}\n${list.join()}`) ?? { group, resources: [], verbs: list };
    rule.resources.push(resource);
    rules.set(`${group}\n${list.join()}`, rule);
  }
  return [...rules.values()].map(({ group, resources, verbs: allowed }) => ({
    apiGroups: [group],
    resources,
    verbs: allowed,
  }));
}

function items(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
