import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type AppSession, changeProject, findProject, specList, withSpec } from '../session/index.js';
import { formatTable } from '../output/index.js';
import { replaced } from './edit-lists.js';
import { rolesOf } from './print-project.js';

const textOf = (object: JsonObject, name: string): string => String(own(object, name) ?? '');
const textsOf = (object: JsonObject, name: string): string[] => {
  const list = own(object, name);
  return isArray(list) ? list.map(String) : [];
};

export async function listRoles(session: AppSession, project: string, output: string): Promise<string> {
  const roles = rolesOf(await findProject(session, project));
  if (output === 'name') return roles.map((role) => `${textOf(role, 'name')}\n`).join('');
  return formatTable(
    ['ROLE-NAME', 'DESCRIPTION'],
    roles.map((role) => [textOf(role, 'name'), textOf(role, 'description')]),
  );
}

export async function showRole(session: AppSession, project: string, name: string): Promise<string> {
  const role = roleAt(await findProject(session, project), name).role;
  const groups = textsOf(role, 'groups');
  const tokens = isArray(own(role, 'jwtTokens')) ? (own(role, 'jwtTokens') as Json[]).filter(isObject) : [];
  return [
    `${'Role Name:'.padEnd(15)}${name}\n`,
    `${'Description:'.padEnd(15)}${textOf(role, 'description')}`.trimEnd().concat('\n'),
    'Policies:\n',
    ...textsOf(role, 'policies').map((policy) => `${policy}\n`),
    'Groups:\n',
    ...(groups.length === 0 ? ['<none>\n'] : groups.map((group) => `  - ${group}\n`)),
    'JWT Tokens:\n',
    formatTable(
      ['ID', 'ISSUED-AT', 'EXPIRES-AT'],
      tokens.map((token) => [
        textOf(token, 'iat'),
        timeText(own(token, 'iat')),
        own(token, 'exp') === undefined ? '<none>' : timeText(own(token, 'exp')),
      ]),
    ),
  ].join('');
}

function timeText(seconds: Json | undefined): string {
  return typeof seconds === 'number' && seconds > 0
    ? new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
    : '<none>';
}

export async function createRole(
  session: AppSession,
  project: string,
  name: string,
  description: string,
): Promise<string> {
  const isMade = await changeProject(session, project, (before) => {
    const isThere = rolesOf(before).some((role) => textOf(role, 'name') === name);
    return isThere
      ? before
      : withSpec(before, {
          roles: [...specList(before, 'roles'), { name, ...(description === '' ? {} : { description }) }],
        });
  });
  return isMade ? `Role '${name}' created\n` : `Role '${name}' already exists\n`;
}

export async function deleteRole(session: AppSession, project: string, name: string): Promise<string> {
  const isGone = await changeProject(session, project, (before) => {
    const isThere = rolesOf(before).some((role) => textOf(role, 'name') === name);
    return isThere
      ? withSpec(before, {
          roles: specList(before, 'roles').filter((role) => !isObject(role) || textOf(role, 'name') !== name),
        })
      : before;
  });
  return isGone ? `Role '${name}' deleted\n` : `Role '${name}' does not exist in project\n`;
}

/** Policies and groups of a role; says what became of it. */
export async function changeRole(
  session: AppSession,
  {
    project,
    role: name,
    list,
    item,
    act,
  }: {
    readonly project: string;
    readonly role: string;
    readonly list: 'policies' | 'groups';
    readonly item: string;
    readonly act: 'add' | 'remove';
  },
): Promise<string> {
  const isChanged = await changeProject(session, project, (before) => {
    const { role, at } = roleAt(before, name);
    const items = textsOf(role, list);
    if (items.includes(item) === (act === 'add')) return before;
    return replaced(before, 'roles', at, {
      ...role,
      [list]: act === 'add' ? [...items, item] : items.filter((each) => each !== item),
    });
  });
  if (list === 'groups')
    return act === 'add'
      ? `Group '${item}' ${isChanged ? 'added to' : 'already present in'} role '${name}'\n`
      : `Group '${item}' ${isChanged ? 'removed from' : 'not present in'} role '${name}'\n`;
  if (act === 'remove' && !isChanged)
    throw new Fault('VALUE_INVALID', `Policy '${item}' does not exist in role '${name}'`, {
      where: `${project} spec.roles`,
    });
  return '';
}

function roleAt(project: KubeObject, name: string): { readonly role: JsonObject; readonly at: number } {
  const all = specList(project, 'roles');
  const at = all.findIndex((each) => isObject(each) && textOf(each, 'name') === name);
  const role = all[at];
  if (!isObject(role))
    throw new Fault('NAME_UNKNOWN', `role '${name}' does not exist in project '${project.metadata.name ?? ''}'`, {
      where: 'spec.roles',
    });
  return { role, at };
}

/** A policy as Argo CD writes it: `p, proj:NAME:ROLE, RESOURCE, ACTION, NAME/OBJECT, allow`. */
export function policyText(
  project: string,
  role: string,
  {
    resource,
    action,
    object,
    permission,
  }: { readonly resource: string; readonly action: string; readonly object: string; readonly permission: string },
): string {
  return `p, proj:${project}:${role}, ${resource}, ${action}, ${project}/${object}, ${permission}`;
}
