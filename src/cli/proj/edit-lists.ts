import { Fault } from '../../model/faults/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type AppSession, changeProject, specList, specOf, withSpec } from '../session/index.js';

const same = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Adds to a list of the project; `twice` says what happens where it is there: an error, or a line. */
export async function addItem(
  session: AppSession,
  project: string,
  list: string,
  item: Json,
  twice: { readonly error: string } | { readonly line: string },
): Promise<string> {
  const isAdded = await changeProject(session, project, (before) =>
    specList(before, list).some((each) => same(each, item) || each === '*')
      ? before
      : withSpec(before, { [list]: [...specList(before, list), item] }),
  );
  if (isAdded) return '';
  if ('error' in twice) throw new Fault('VALUE_INVALID', twice.error, { where: `${project} spec.${list}` });
  return `${twice.line}\n`;
}

export async function removeItem(
  session: AppSession,
  project: string,
  list: string,
  isMeant: (item: Json) => boolean,
  missing: { readonly error: string } | { readonly line: string },
): Promise<string> {
  const isRemoved = await changeProject(session, project, (before) =>
    specList(before, list).some(isMeant)
      ? withSpec(before, { [list]: specList(before, list).filter((each) => !isMeant(each)) })
      : before,
  );
  if (isRemoved) return '';
  if ('error' in missing) throw new Fault('VALUE_INVALID', missing.error, { where: `${project} spec.${list}` });
  return `${missing.line}\n`;
}

/** Whether an object of a list has exactly these texts; members that are absent count as empty. */
export function hasTexts(texts: Readonly<Record<string, string>>): (item: Json) => boolean {
  return (item) => isObject(item) && Object.entries(texts).every(([name, value]) => (own(item, name) ?? '') === value);
}

export interface KindChoice {
  readonly project: string;
  readonly group: string;
  readonly kind: string;
}

const LISTS = {
  cluster: { allow: 'clusterResourceWhitelist', deny: 'clusterResourceBlacklist' },
  namespace: { allow: 'namespaceResourceWhitelist', deny: 'namespaceResourceBlacklist' },
} as const;

/**
 * What is allowed stands in the list that allows, or stands no longer in the one that denies; the other way round for
 * what is denied.
 */
export async function permitKind(
  session: AppSession,
  { project, group, kind }: KindChoice,
  scope: keyof typeof LISTS,
  list: 'allow' | 'deny',
  verdict: 'allow' | 'deny',
): Promise<string> {
  const name = LISTS[scope][list];
  if (list === verdict)
    return addItem(
      session,
      project,
      name,
      { group, kind },
      {
        line:
          `Group '${group}' and kind '${kind}' already present in ${list === 'allow' ? 'allowed' : 'denied'} ` +
          `${scope} resources`,
      },
    );
  return removeItem(session, project, name, hasTexts({ group, kind }), {
    line: `Group '${group}' and kind '${kind}' not in ${list === 'allow' ? 'allowed' : 'denied'} ${scope} resources`,
  });
}

/** What is left out of the orphans of a project. */
export async function ignoreOrphan(
  session: AppSession,
  project: string,
  item: JsonObject,
  act: 'add' | 'remove',
): Promise<void> {
  await changeProject(session, project, (before) => {
    const orphaned = own(specOf(before), 'orphanedResources');
    const known = isObject(orphaned) && Array.isArray(orphaned.ignore) ? orphaned.ignore : [];
    const isMeant = hasTexts({ group: String(item.group), kind: String(item.kind), name: String(item.name ?? '') });
    if (known.some(isMeant) === (act === 'add'))
      throw new Fault(
        'VALUE_INVALID',
        act === 'add'
          ? 'Specified resource is already defined in the orphaned ignore list of project'
          : 'Specified resource does not exist in the orphaned ignore list of project',
        { where: `${project} spec.orphanedResources.ignore` },
      );
    return withSpec(before, {
      orphanedResources: {
        ...(isObject(orphaned) ? orphaned : {}),
        ignore: act === 'add' ? [...known, item] : known.filter((each) => !isMeant(each)),
      },
    });
  });
}

/** One of the roles or windows of a project with another content. */
export function replaced(project: KubeObject, list: string, at: number, item: Json): KubeObject {
  return withSpec(project, { [list]: specList(project, list).map((each, index) => (index === at ? item : each)) });
}
