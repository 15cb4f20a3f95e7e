import { Fault } from '../../model/faults/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { parseApplication, readAcceptance, currentDeviations } from '../../model/argo/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { type JsonObject, objectsAt, textAt } from '../../model/json/index.js';
import { objectName, type CheckedObject, type ChecklistInput, type Finding } from './checklist-input.js';

const NO_STATUS = 'a file has no status; argosy check NAME checks the application in the cluster';
const MAX_OBJECTS = 20;

/** Synced, or accepted as OutOfSync. */
export function checkSynced(question: ChecklistInput): Finding[] {
  if (!question.isLive) return [{ state: 'unchecked', message: NO_STATUS }];
  const { application } = question;
  const status = textAt(application, 'status', 'sync', 'status');
  const { deviations, reason } = readAcceptance(application);
  if (status === 'Synced')
    return deviations.includes('OutOfSync')
      ? [{ state: 'holds', message: 'Synced; the accepted OutOfSync is not needed now' }]
      : [];
  if (status === '')
    return [
      {
        state: 'fails',
        field: '/status/sync',
        message: 'not compared with git yet',
        remedy: 'start a controller, or check the conditions with argosy app get',
      },
    ];
  if (status !== 'OutOfSync')
    return [
      {
        state: 'fails',
        field: '/status/sync',
        message: `sync status is ${status}: the comparison with git failed`,
        remedy: 'fix the errors under no-errors',
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
  const sync = `argosy app diff ${name} shows the differences and their owners; argosy app sync ${name} reverts them`;
  if (listed.length === 0) return [{ state: 'fails', field: '/status/sync', message: 'OutOfSync', remedy: sync }];
  return limitFindings(
    listed.map((raw) => ({
      state: 'fails',
      object: objectName(keyAt(raw)),
      message: 'differs from git',
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
  if (live === undefined) return { ...base, message: 'in git, missing in the cluster', remedy: sync };
  if (target === undefined) return { ...base, message: 'in the cluster, no longer in git', remedy: `${sync} --prune` };
  const field = differences.map(({ pointer }) => pointer).join(', ');
  const byOthers = differences.filter(({ owner }) => owner !== '' && !MANUAL_MANAGERS.test(owner));
  if (byOthers.length === 0) {
    const owners = [...new Set(differences.map(({ owner }) => owner))].filter((owner) => owner !== '');
    return {
      ...base,
      field,
      message: `differs from git${owners.length === 0 ? '' : `; changed by ${owners.join(', ')}`}`,
      remedy: sync,
    };
  }
  const owners = [...new Set(byOthers.map(({ owner }) => owner))];
  return {
    ...base,
    field,
    message:
      `differs from git; ${owners.join(', ')} ${owners.length === 1 ? 'overwrites' : 'overwrite'} ` +
      byOthers.map(({ pointer }) => pointer).join(', '),
    remedy: 'a controller owns these fields: remove them from git, or ignore them',
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
  const remedy = `argosy app get ${application.metadata.name ?? ''} shows why; argosy triage finds the root cause`;
  if (status === '')
    return [
      {
        state: 'fails',
        field: '/status/health',
        message: 'health not assessed yet',
        remedy: 'start a controller, or check the conditions with argosy app get',
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
  return `${status}${message === undefined || message === '' ? '' : `: ${message}`}`;
}

/** No condition that is an error, no sync that failed; from a file: its manifests can be made. */
export function checkErrors({ application, isLive, unseen, policy: { branches } }: ChecklistInput): Finding[] {
  const spec = specError(application);
  if (spec !== undefined)
    return [{ state: 'fails', field: '/spec', message: `InvalidSpecError: ${spec}`, remedy: 'correct the field' }];
  if (!isLive) {
    if (unseen === undefined) return [{ state: 'holds', message: 'the manifests render from these files' }];
    const branch = branches[0] ?? 'the branch';
    const remedy = `make sure that the folder exists on ${branch} and that argosy render succeeds`;
    return [
      unseen.isFailure
        ? {
            state: 'fails',
            field: '/spec/source',
            message: `the manifests do not render: ${unseen.why}`,
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
        remedy: ERRORS[textAt(raw, 'type')] ?? 'fix what the message names',
      }),
    );
  const phase = textAt(application, 'status', 'operationState', 'phase');
  if (phase !== 'Failed' && phase !== 'Error') return conditions;
  const remedy = `fix what the message names, then argosy app sync ${application.metadata.name ?? ''}`;
  return [
    ...conditions,
    {
      state: 'fails',
      field: '/status/operationState',
      message:
        `the last sync ${phase === 'Failed' ? 'failed' : 'ended with an error'}: ` +
        textAt(application, 'status', 'operationState', 'message'),
      remedy,
    },
  ];
}

const ERRORS: Readonly<Record<string, string>> = {
  ComparisonError:
    'check that targetRevision, path and values files exist in the repository; the branch check finds ' +
    'an outdated branch',
  SyncError: 'fix what the message names; auto-sync retries with the next commit',
  InvalidSpecError: 'fix the field that the message names',
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
    'keep the resource in one application; if both must have it, accept it with a reason',
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
      ? shared.map(({ key, by }) => told(`also in ${by}`, { object: objectName(key), where: originOf(key) }))
      : [{ state: 'unchecked', message: unseen.why }];
  const warnings = objectsAt(application, 'status', 'conditions').filter(
    (raw) => textAt(raw, 'type') === 'SharedResourceWarning',
  );
  if (warnings.length === 0 && isAccepted)
    return [{ state: 'holds', message: 'nothing is shared; the accepted SharedResourceWarning is not needed now' }];
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
        'argosy.dev/accept-reason': reason || 'why this is intended',
      },
    },
  });
  return problems.map((message) => ({
    state: 'fails',
    field: '/metadata/annotations',
    message,
    remedy: 'accept OutOfSync or SharedResourceWarning, with a reason',
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
