import type { Cluster } from '../../cluster/index.js';
import { operationReasons, worstFirst, loadCatalogue } from '../../control/index.js';
import {
  createAssessor,
  healthOverride,
  lintSettings,
  readOverrides,
  type Assessor,
  type Finding,
} from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { type Json, type JsonObject, isArray, isObject, objectsAt, textAt } from '../../model/json/index.js';
import { describeKey, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { staleness } from '../../plan/index.js';
import { asSentence } from '../command/index.js';
import { type AppSession, readSettings } from '../session/index.js';
import { withDestination, assess, Kinds, openAssessor, readKeys, keyAt, oneLine } from '../application/index.js';

const MAX_LINES = 15;
const MAX_NAMES = 5;

/** Why an application is not as it should be, or seems better than it is: nothing where all is well. */
export async function formatReasons(session: AppSession, application: KubeObject): Promise<string> {
  const reasons = [...operationReasons(application), ...(await objectReasons(session, application))];
  if (reasons.length === 0) return '';
  const shown =
    reasons.length > MAX_LINES ? [...reasons.slice(0, MAX_LINES), `and ${reasons.length - MAX_LINES} more`] : reasons;
  return `\nWhy:\n${shown.map((reason) => `- ${oneLine(reason)}\n`).join('')}`;
}

/** A resource as the Application tells of it. */
interface ReportedResource {
  readonly key: Key;
  readonly health: string;
  readonly message: string;
}

async function objectReasons(session: AppSession, application: KubeObject): Promise<string[]> {
  const settings: JsonObject = { ...(await readSettings(session, 'argocd-cm')) };
  const overrides = readOverrides(settings);
  const waiting = hookMessages(application);
  const told = objectsAt(application, 'status', 'resources').map((raw): ReportedResource => {
    const key = keyAt(raw);
    const message = waiting.get(keyText(key)) ?? textAt(raw, 'health', 'message');
    return { key, health: textAt(raw, 'health', 'status'), message };
  });
  const bad = worstFirst(told, ({ health }) => health);
  const good = told.filter(
    (each) => !bad.includes(each) && healthOverride(overrides, each.key.group, each.key.kind) !== undefined,
  );
  const hooks = runningHooks(application);
  const keys = keyReasons(settings, told);
  if (bad.length + good.length + hooks.length === 0) return keys;
  try {
    return [
      ...(await withDestination(session, application, (cluster) =>
        liveReasons(session, cluster, { bad, good, hooks, reported: told }),
      )),
      ...keys,
    ];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [
      ...bad.filter(({ health }) => health !== 'Missing').map(describeHealth),
      ...describeMissing(bad.filter(({ health }) => health === 'Missing').map(({ key }) => key)),
      ...keys,
      `its resources cannot be read: ${error.message}`,
    ];
  }
}

interface ReasonInput {
  readonly bad: readonly ReportedResource[];
  readonly good: readonly ReportedResource[];
  readonly hooks: readonly Key[];
  readonly reported: readonly ReportedResource[];
}

async function liveReasons(
  session: AppSession,
  cluster: Cluster,
  { bad, good, hooks, reported }: ReasonInput,
): Promise<string[]> {
  const [kinds, assessor] = await Promise.all([Kinds.of(cluster), openAssessor(session)]);
  const builtIn = createAssessor({
    catalogue: loadCatalogue(session.host.catalogue),
    now: session.host.now,
    elapsed: () => performance.now(),
  });
  const { live } = await readKeys(cluster, kinds, [...bad, ...good].map(({ key }) => key).concat(hooks));
  const liveOf = (key: Key): KubeObject | undefined => live.get(keyText(key));
  const second = async (key: Key): Promise<string> => {
    const object = liveOf(key);
    return object === undefined ? '' : describeOverride(cluster, kinds, [assessor, builtIn], object);
  };
  const missing = reported.filter(({ health }) => health === 'Missing').map(({ key }) => key);
  const [worse, better] = await Promise.all([
    Promise.all(
      bad
        .filter(({ health }) => health !== 'Missing')
        .map(async (each) =>
          [describeHealth(each), describeStaleStatus(liveOf(each.key), each), await second(each.key)]
            .filter((part) => part !== '')
            .join('. '),
        ),
    ),
    Promise.all(good.map(async (each) => [each, await second(each.key)] as const)),
  ]);
  return [
    ...hooks.flatMap((key) => describeHookDeadlock(key, liveOf(key), missing)),
    ...worse,
    ...describeMissing(missing),
    ...better
      .filter(([, opinion]) => opinion !== '')
      .map(
        ([each, opinion]) =>
          `${describeKey(each.key)} is ${each.health}. ${opinion}. Waves wait for the result of the check`,
      ),
  ];
}

/** What no sync has created, in one sentence. */
function describeMissing(missing: readonly Key[]): string[] {
  const [rest, shown] = [missing.length - MAX_NAMES, missing.slice(0, MAX_NAMES).map(describeKey).join(', ')];
  return missing.length === 0 ? [] : [`Missing: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`];
}

function describeHealth({ key, health, message }: ReportedResource): string {
  const more =
    key.group === 'mlops.mlops.dev' && health === 'Degraded'
      ? `. argosy notebook get ${key.namespace}/${key.name} shows its cells`
      : '';
  return `${describeKey(key)} is ${health}${message === '' ? '' : `: ${message}`}${more}`;
}

/** A status that nobody writes, or that is about an older generation: whoever runs the kind is not at work. */
function describeStaleStatus(live: KubeObject | undefined, { health, key, message }: ReportedResource): string {
  if (live === undefined || health !== 'Progressing') return '';
  if (live.status === undefined && key.group.includes('.'))
    return `It has no status: the controller of ${key.kind} is not running or lacks permissions; ` + 'see its log';
  return staleness(live) === undefined
    ? ''
    : `${message.includes('generation') ? '' : `${staleness(live) ?? ''}. `}Its controller is not running ` +
        'or lacks permissions: its status is of an older generation';
}

/** Where a script of the settings judges, and the check that comes with Argosy would say something else. */
async function describeOverride(
  cluster: Cluster,
  kinds: Kinds,
  [assessor, builtIn]: readonly [Assessor, Assessor],
  object: KubeObject,
): Promise<string> {
  const [first, other] = await Promise.all([
    assess(cluster, kinds, assessor, object),
    assess(cluster, kinds, builtIn, object),
  ]);
  if (first === undefined || other === undefined || first.by === other.by || first.status === other.status) return '';
  return (
    `That is the result of ${first.by} in argocd-cm; the built-in check says ` +
    `${other.status}${other.message === undefined || other.message === '' ? '' : `: ${other.message}`}`
  );
}

/** What the sync under way says of the hooks that it waits for: more than their health does. */
function hookMessages(application: KubeObject): ReadonlyMap<string, string> {
  if (textAt(application, 'status', 'operationState', 'phase') !== 'Running') return new Map();
  return new Map(
    objectsAt(application, 'status', 'operationState', 'syncResult', 'resources')
      .filter((raw) => textAt(raw, 'hookType') !== '' && textAt(raw, 'hookPhase') === 'Running')
      .map((raw) => [keyText(keyAt(raw)), textAt(raw, 'message')]),
  );
}

/** Hooks that run before the first wave and have not ended. */
function runningHooks(application: KubeObject): Key[] {
  if (textAt(application, 'status', 'operationState', 'phase') !== 'Running') return [];
  return objectsAt(application, 'status', 'operationState', 'syncResult', 'resources')
    .filter((raw) => textAt(raw, 'hookType') === 'PreSync' && textAt(raw, 'hookPhase') === 'Running')
    .map(keyAt);
}

/** A hook whose command names an object that only comes after it. */
function describeHookDeadlock(hook: Key, live: KubeObject | undefined, missing: readonly Key[]): string[] {
  const words = new Set(
    textsIn(live?.spec)
      .flatMap((text) => text.split(/[^\w.-]+/))
      .map((word) => word.toLowerCase()),
  );
  return missing
    .filter(({ group, kind, name }) => {
      const plain = kind.toLowerCase();
      return (
        words.has(name) &&
        [plain, `${plain}s`, `${plain}.${group}`, `${plain}s.${group}`].some((word) => words.has(word))
      );
    })
    .map(
      (key) =>
        `${describeKey(hook)} is a PreSync hook that uses ${describeKey(key)}, which this sync only creates ` +
        'after it. ' +
        'PreSync hooks run before every wave. Remove the hook (waves wait for health by default), or make it ' +
        'a Sync hook in a wave between the two',
    );
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Keys of argocd-cm that were meant for a kind of this application, and that nobody reads. */
function keyReasons(data: JsonObject, told: readonly ReportedResource[]): string[] {
  const kinds = told.map(({ key: { group, kind } }) => ({ group, kind }));
  const names = new Set(kinds.map(({ group, kind }) => (group === '' ? kind : `${group}_${kind}`)));
  const isOurs = ({ rule, hint }: Finding): boolean =>
    rule === 'malformed-key' &&
    (/`([^`]+)`/.exec(hint)?.[1] ?? '').split('.').some((_, at, parts) => names.has(parts.slice(at).join('.')));
  const findings = lintSettings(
    {
      configMaps: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm' }, data } }],
      argocds: [],
      crds: [],
    },
    { kinds },
  );
  return findings
    .filter(isOurs)
    .map(({ message, hint, where }) => `${where.key ?? ''} of argocd-cm: ${message} ${asSentence(hint)}`);
}
