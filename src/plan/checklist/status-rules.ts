import { Fault } from '../../model/faults/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { parseApplication, readAcceptance, currentDeviations } from '../../model/argo/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { type JsonObject, objectsAt, textAt } from '../../model/json/index.js';
import { objectName, type CheckedObject, type ChecklistInput, type Finding } from './checklist-input.js';

const NO_STATUS = 'a file has no status: argosy check NAME looks at the application in its cluster';
const MAX_OBJECTS = 20;

/** Synced, or accepted as OutOfSync. */
export function checkSynced(question: ChecklistInput): Finding[] {
  if (!question.isLive) return [{ state: 'unchecked', message: NO_STATUS }];
  const { application } = question;
  const status = textAt(application, 'status', 'sync', 'status');
  const { deviations, reason } = readAcceptance(application);
  if (status === 'Synced')
    return deviations.includes('OutOfSync')
      ? [{ state: 'holds', message: 'Synced; OutOfSync is accepted and not needed now' }]
      : [];
  if (status === '')
    return [
      {
        state: 'fails',
        field: '/status/sync',
        message: 'nobody has compared it with git yet',
        remedy: 'start a controller, or see argosy app get for what stands against it',
      },
    ];
  if (status !== 'OutOfSync')
    return [
      {
        state: 'fails',
        field: '/status/sync',
        message: `its sync status is ${status}: it cannot be compared with git`,
        remedy: 'repair what no-errors names',
      },
    ];
  const found = outOfSync(question);
  if (!deviations.includes('OutOfSync')) return found;
  const names = found.map(({ object = '', field = '' }) => (field === '' ? object : `${object} ${field}`)).join('; ');
  return [{ state: 'accepted', field: '/status/sync', message: `OutOfSync, accepted because ${reason}: ${names}` }];
}

function outOfSync({ application, objects }: ChecklistInput): Finding[] {
  const named = objects.filter(({ status }) => status === 'OutOfSync');
  const name = application.metadata.name ?? '';
  if (named.length > 0) return limitFindings(named.map((object) => differing(object, name)));
  const listed = objectsAt(application, 'status', 'resources').filter((raw) => raw.status === 'OutOfSync');
  const sync = `argosy app diff ${name} shows what differs and who changed it; argosy app sync ${name} brings it back`;
  if (listed.length === 0) return [{ state: 'fails', field: '/status/sync', message: 'it is OutOfSync', remedy: sync }];
  return limitFindings(
    listed.map((raw) => ({
      state: 'fails',
      object: objectName(keyAt(raw)),
      message: 'it is not as git wants it',
      remedy: sync,
    })),
  );
}

function limitFindings(findings: readonly Finding[]): Finding[] {
  const rest = findings.length - MAX_OBJECTS;
  return rest <= 0
    ? [...findings]
    : [...findings.slice(0, MAX_OBJECTS), { state: 'fails', message: `and ${rest} more objects` }];
}

/** People change objects by hand; whatever else owns a field writes it again and again. */
const MANUAL_MANAGERS = /^(?:kubectl|oc|argosy|argocd|Mozilla|node-fetch)/;

function differing({ key, target, live, differences, origin }: CheckedObject, application: string): Finding {
  const base = { state: 'fails' as const, object: objectName(key), where: origin };
  const sync = `argosy app sync ${application}`;
  if (live === undefined) return { ...base, message: 'it is in git and not in the cluster', remedy: sync };
  if (target === undefined)
    return { ...base, message: 'it is in the cluster and no longer in git', remedy: `${sync} --prune` };
  const field = differences.map(({ pointer }) => pointer).join(', ');
  const byOthers = differences.filter(({ owner }) => owner !== '' && !MANUAL_MANAGERS.test(owner));
  if (byOthers.length === 0) {
    const owners = [...new Set(differences.map(({ owner }) => owner))].filter((owner) => owner !== '');
    return {
      ...base,
      field,
      message: `it is not as git wants it${owners.length === 0 ? '' : `; changed by ${owners.join(', ')}`}`,
      remedy: sync,
    };
  }
  const owners = [...new Set(byOthers.map(({ owner }) => owner))];
  return {
    ...base,
    field,
    message:
      `it is not as git wants it; ${owners.join(', ')} ${owners.length === 1 ? 'writes' : 'write'} ` +
      byOthers.map(({ pointer }) => pointer).join(', '),
    remedy: 'a controller owns these fields: take them out of git, or let them differ and leave them alone',
    add: ignoring(key, byOthers),
  };
}

/** The narrowest rule: this object and these fields. A place in a list moves, so there the manager is named. */
function ignoring(
  { group, kind, namespace, name }: CheckedObject['key'],
  differences: CheckedObject['differences'],
): string {
  const inLists = differences.filter(({ pointer }) => /\/\d+(?:\/|$)/.test(pointer));
  const plain = differences.filter((each) => !inLists.includes(each)).map(({ pointer }) => pointer);
  const managers = [...new Set(inLists.map(({ owner }) => owner))];
  const rule: JsonObject = {
    ...(group === '' ? {} : { group }),
    kind,
    name,
    ...(namespace === '' ? {} : { namespace }),
    ...(plain.length === 0 ? {} : { jsonPointers: plain }),
    ...(managers.length === 0 ? {} : { managedFieldsManagers: managers }),
  };
  return writeYaml({
    spec: { ignoreDifferences: [rule], syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] } },
  });
}

/** Healthy, whatever else is. */
export function checkHealthy({ application, isLive, objects }: ChecklistInput): Finding[] {
  if (!isLive) return [{ state: 'unchecked', message: NO_STATUS }];
  const status = textAt(application, 'status', 'health', 'status');
  if (status === 'Healthy') return [];
  const remedy = `argosy app get ${application.metadata.name ?? ''} says why; argosy triage finds the cause behind it`;
  if (status === '')
    return [
      {
        state: 'fails',
        field: '/status/health',
        message: 'nobody has judged its health yet',
        remedy: 'start a controller, or see argosy app get for what stands against it',
      },
    ];
  const seen = objects
    .filter(({ health }) => health?.status === status)
    .map(
      ({ key, health, origin }): Finding => ({
        state: 'fails',
        object: objectName(key),
        where: origin,
        message: formatHealth(status, health?.message),
        remedy,
      }),
    );
  const listed = objectsAt(application, 'status', 'resources')
    .filter((raw) => textAt(raw, 'health', 'status') === status)
    .map(
      (raw): Finding => ({
        state: 'fails',
        object: objectName(keyAt(raw)),
        message: formatHealth(status, textAt(raw, 'health', 'message')),
        remedy,
      }),
    );
  const worst = seen.length > 0 ? seen : listed;
  return worst.length > 0
    ? limitFindings(worst)
    : [
        {
          state: 'fails',
          field: '/status/health',
          message: formatHealth(status, textAt(application, 'status', 'health', 'message')),
          remedy,
        },
      ];
}

function formatHealth(status: string, message: string | undefined): string {
  return `it is ${status}${message === undefined || message === '' ? '' : `: ${message}`}`;
}

/** No condition that is an error, no sync that failed; from a file: its manifests can be made. */
export function checkErrors({ application, isLive, unseen, policy: { branches } }: ChecklistInput): Finding[] {
  const spec = specError(application);
  if (spec !== undefined)
    return [{ state: 'fails', field: '/spec', message: `InvalidSpecError: ${spec}`, remedy: 'correct the field' }];
  if (!isLive) {
    if (unseen === undefined) return [{ state: 'holds', message: 'its manifests can be made from these files' }];
    const branch = branches[0] ?? 'the branch';
    const remedy = `make sure that the folder is there on ${branch}, and that argosy render prints it`;
    return [
      unseen.isFailure
        ? {
            state: 'fails',
            field: '/spec/source',
            message: `its manifests cannot be made: ${unseen.why}`,
            remedy,
            ...(unseen.where === '' ? {} : { where: unseen.where }),
          }
        : { state: 'unchecked', message: unseen.why },
    ];
  }
  const conditions = objectsAt(application, 'status', 'conditions')
    .filter((raw) => textAt(raw, 'type').endsWith('Error'))
    .map(
      (raw): Finding => ({
        state: 'fails',
        field: '/status/conditions',
        message: `${textAt(raw, 'type')}: ${textAt(raw, 'message')}`,
        remedy: ERRORS[textAt(raw, 'type')] ?? 'repair what the message names',
      }),
    );
  const phase = textAt(application, 'status', 'operationState', 'phase');
  if (phase !== 'Failed' && phase !== 'Error') return conditions;
  const remedy = `repair what the message names, then argosy app sync ${application.metadata.name ?? ''}`;
  return [
    ...conditions,
    {
      state: 'fails',
      field: '/status/operationState',
      message:
        `its last sync ${phase === 'Failed' ? 'failed' : 'could not be done'}: ` +
        textAt(application, 'status', 'operationState', 'message'),
      remedy,
    },
  ];
}

const ERRORS: Readonly<Record<string, string>> = {
  ComparisonError:
    'see that targetRevision, path and values name what there is in the repository; the branch check says ' +
    'whether it follows an old branch',
  SyncError: 'repair what the message names; a sync by itself is tried again with the next commit',
  InvalidSpecError: 'correct the field that the message names',
};

function specError(application: KubeObject): string | undefined {
  try {
    parseApplication(application);
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message;
  }
}

/** Every object has one application, or it is accepted that two share it. */
export function checkShared({ application, isLive, shared, objects, unseen }: ChecklistInput): Finding[] {
  const { deviations, reason } = readAcceptance(application);
  const [isAccepted, remedy] = [
    deviations.includes('SharedResourceWarning'),
    'let one application have the object, and refer to it from the other; where both must have it, say why',
  ];
  const add = writeYaml({
    metadata: {
      annotations: { 'argosy.dev/accept': 'SharedResourceWarning', 'argosy.dev/accept-reason': 'why both have it' },
    },
  });
  const told = (message: string, about: Pick<Finding, 'object' | 'where'> = {}): Finding =>
    isAccepted
      ? { state: 'accepted', message: `${message}, accepted because ${reason}`, ...about }
      : { state: 'fails', message, remedy, add, ...about };
  const originOf = (key: Key): string => objects.find((each) => keyText(each.key) === keyText(key))?.origin ?? '';
  if (!isLive)
    return unseen === undefined
      ? shared.map(({ key, by }) => told(`${by} makes it too`, { object: objectName(key), where: originOf(key) }))
      : [{ state: 'unchecked', message: unseen.why }];
  const warnings = objectsAt(application, 'status', 'conditions').filter(
    (raw) => textAt(raw, 'type') === 'SharedResourceWarning',
  );
  if (warnings.length === 0 && isAccepted)
    return [{ state: 'holds', message: 'nothing is shared; SharedResourceWarning is accepted and not needed now' }];
  return warnings.map((raw) => told(textAt(raw, 'message')));
}

/** What is accepted can be read, and has a reason. */
export function checkAcceptance({ application }: ChecklistInput): Finding[] {
  const { deviations, reason, problems } = readAcceptance(application);
  const [needed] = currentDeviations(application);
  const add = writeYaml({
    metadata: {
      annotations: {
        'argosy.dev/accept': deviations.join(', ') || needed || 'OutOfSync',
        'argosy.dev/accept-reason': reason || 'why this is as it should be',
      },
    },
  });
  return problems.map((message) => ({
    state: 'fails',
    field: '/metadata/annotations',
    message,
    remedy: 'name OutOfSync or SharedResourceWarning, and the reason',
    add,
  }));
}

function keyAt(raw: JsonObject): CheckedObject['key'] {
  return {
    group: textAt(raw, 'group'),
    kind: textAt(raw, 'kind'),
    namespace: textAt(raw, 'namespace'),
    name: textAt(raw, 'name'),
  };
}
