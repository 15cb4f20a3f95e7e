import type { PolicyRule } from '../access/index.js';

/** The parts of `wanted` that no rule of `held` allows; parts that differ only by verb are one rule again. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const lacking = wanted.flatMap(atoms).filter((atom) => !held.some((rule) => coversAtom(rule, atom)));
  const joined = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const atom of lacking) {
    if (atom.nonResourceURLs.length > 0) {
      others.push(atom);
      continue;
    }
    const id = JSON.stringify([atom.apiGroups, atom.resources, atom.resourceNames]);
    const known = joined.get(id);
    joined.set(id, known ? { ...known, verbs: [...known.verbs, ...atom.verbs] } : atom);
  }
  return [...others, ...joined.values()];
}

/** One verb on one resource (and name), or on one path. */
function atoms(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const list: PolicyRule[] = [];
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        for (const resourceNames of names)
          list.push({ apiGroups: [group], resources: [resource], verbs: [verb], resourceNames, nonResourceURLs: [] });
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs)
      list.push({ apiGroups: [], resources: [], verbs: [verb], resourceNames: [], nonResourceURLs: [url] });
  }
  return list;
}

function coversAtom(rule: PolicyRule, atom: PolicyRule): boolean {
  const all = (held: readonly string[], wanted: readonly string[]): boolean =>
    held.includes('*') || wanted.every((each) => held.includes(each));
  const resources =
    rule.resources.includes('*') ||
    atom.resources.every(
      (each) =>
        rule.resources.includes(each) ||
        (each.includes('/') && rule.resources.includes(`*/${each.slice(each.indexOf('/') + 1)}`)),
    );
  const urls = atom.nonResourceURLs.every((url) =>
    rule.nonResourceURLs.some(
      (held) => held === url || (held.endsWith('*') && url.startsWith(held.replace(/(?<!\*)\*+$/, ''))),
    ),
  );
  const names =
    rule.resourceNames.length === 0 ||
    (atom.resourceNames.length > 0 && atom.resourceNames.every((each) => rule.resourceNames.includes(each)));
  return all(rule.verbs, atom.verbs) && all(rule.apiGroups, atom.apiGroups) && resources && names && urls;
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function ruleText({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const part = (name: string, list: readonly string[]): string[] =>
    list.length === 0 ? [] : [`${name}:[${list.map((each) => JSON.stringify(each)).join(' ')}]`];
  const parts = [
    ...part('APIGroups', apiGroups),
    ...part('Resources', resources),
    ...part('NonResourceURLs', nonResourceURLs),
    ...part('ResourceNames', resourceNames),
    ...part('Verbs', verbs),
  ];
  return `{${parts.join(', ')}}`;
}
