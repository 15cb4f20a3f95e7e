import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { parseAppProject } from '../../model/argo/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { evaluateSyncWindows } from '../../plan/index.js';
import { type AppSession, changeProject, findProject, specList, withSpec } from '../session/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { replaced } from './edit-lists.js';

const HEADER = [
  'ID',
  'STATUS',
  'KIND',
  'SCHEDULE',
  'DURATION',
  'APPLICATIONS',
  'NAMESPACES',
  'CLUSTERS',
  'MANUALSYNC',
  'SYNCOVERRUN',
  'TIMEZONE',
  'USEANDOPERATOR',
];

const ANY = { name: 'any', destination: { server: '', name: '', namespace: '' } };

export interface WindowFlags {
  readonly kind?: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly applications?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly clusters?: readonly string[];
  readonly manualSync?: boolean;
  readonly syncOverrun?: boolean;
  readonly timeZone?: string;
  readonly useAndOperator?: boolean;
  readonly description?: string;
}

export async function listWindows(session: AppSession, name: string, output: string): Promise<string> {
  const project = await findProject(session, name);
  const windows = specList(project, 'syncWindows');
  if (output === 'json') return prettyJson([...windows]);
  if (output === 'yaml') return writeYaml([...windows]);
  const active = activeWindows(project, session.host.now());
  const list = (value: Json | undefined): string =>
    isArray(value) && value.length > 0 ? value.map(String).join(',') : '-';
  const enabled = (value: Json | undefined): string => (value === true ? 'Enabled' : 'Disabled');
  return formatTable(
    HEADER,
    windows
      .filter(isObject)
      .map((window, at) => [
        String(at),
        active.has(at) ? 'Active' : 'Inactive',
        textOf(window, 'kind'),
        textOf(window, 'schedule'),
        textOf(window, 'duration'),
        list(window.applications),
        list(window.namespaces),
        list(window.clusters),
        enabled(window.manualSync),
        enabled(window.syncOverrun),
        textOf(window, 'timeZone'),
        enabled(window.andOperator),
      ]),
  );
}

/** Those that are open now, whatever they are for. */
function activeWindows(project: KubeObject, now: number): ReadonlySet<number> {
  const { syncWindows } = parseAppProject(project);
  return new Set(
    syncWindows.flatMap((window, at) =>
      evaluateSyncWindows([{ ...window, applications: ['*'] }], ANY, { now: new Date(now), isManual: false }).active
        .length > 0
        ? [at]
        : [],
    ),
  );
}

export async function addWindow(session: AppSession, name: string, flags: WindowFlags): Promise<void> {
  if (flags.kind === undefined || flags.schedule === undefined || flags.duration === undefined)
    throw new Fault(
      'USAGE',
      'a window needs --kind, --schedule and --duration, such as --kind allow --schedule "0 22 * * *" --duration 1h',
    );
  if ((flags.applications ?? []).length + (flags.namespaces ?? []).length + (flags.clusters ?? []).length === 0)
    throw new Fault('USAGE', 'a window needs --applications, --namespaces or --clusters');
  const window = membersOf(flags);
  await changeProject(session, name, (before) =>
    readable(withSpec(before, { syncWindows: [...specList(before, 'syncWindows'), window] })),
  );
}

/** Windows that nobody can read stop every sync of the project: they are refused before they are written. */
function readable(project: KubeObject): KubeObject {
  const { syncWindows } = parseAppProject(project);
  for (const window of syncWindows) {
    const { problem } = evaluateSyncWindows([{ ...window, applications: ['*'] }], ANY, {
      now: new Date(0),
      isManual: false,
    });
    if (problem !== undefined) throw new Fault('VALUE_INVALID', problem, { where: 'spec.syncWindows' });
  }
  return project;
}

/** Changes what is named of a window. */
export async function changeWindow(
  session: AppSession,
  name: string,
  id: string,
  members: JsonObject | 'delete',
): Promise<void> {
  await changeProject(session, name, (before) => {
    const windows = specList(before, 'syncWindows');
    const at = /^\d+$/.test(id) ? Number(id) : -1;
    const window = windows[at];
    if (!isObject(window))
      throw new Fault(
        'NAME_UNKNOWN',
        `window ${JSON.stringify(id)} not found; argosy proj windows list ${name} shows ` +
          (windows.length === 0 ? 'none' : `0 to ${windows.length - 1}`),
        { where: 'spec.syncWindows' },
      );
    return members === 'delete'
      ? withSpec(before, { syncWindows: windows.filter((_, index) => index !== at) })
      : readable(replaced(before, 'syncWindows', at, { ...window, ...members }));
  });
}

export function membersOf(flags: WindowFlags): JsonObject {
  const members: readonly (readonly [string, Json | undefined])[] = [
    ['kind', flags.kind],
    ['schedule', flags.schedule],
    ['duration', flags.duration],
    ['applications', listOf(flags.applications)],
    ['namespaces', listOf(flags.namespaces)],
    ['clusters', listOf(flags.clusters)],
    ['manualSync', flags.manualSync],
    ['syncOverrun', flags.syncOverrun],
    ['timeZone', flags.timeZone],
    ['andOperator', flags.useAndOperator],
    ['description', flags.description],
  ];
  return Object.fromEntries(members.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined));
}

function listOf(items: readonly string[] | undefined): Json | undefined {
  return items === undefined ? undefined : [...items];
}

function textOf(object: JsonObject, name: string): string {
  const value = own(object, name);
  return typeof value === 'string' ? value : '';
}
