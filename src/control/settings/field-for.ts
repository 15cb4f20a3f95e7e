import type { Entry, MapName } from './entry.js';
import { fieldOfKey } from './read-entries.js';

const CUSTOMIZATION = /^resource\.customizations\.(health|actions|ignoreDifferences)\.(?:(.+)_)?([^_]+)$/;

/** The field of an ArgoCD object in which a key of its ConfigMaps is to be written. */
export function fieldFor(map: MapName, key: string, wanted: ReadonlyMap<string, Entry>): string {
  const entry = wanted.get(key);
  if (entry !== undefined) return entry.field;
  const [, type, group = '', kind = ''] = CUSTOMIZATION.exec(key) ?? [];
  if (type === 'health') return `spec.resourceHealthChecks (group: "${group}", kind: ${kind})`;
  if (type === 'actions') return `spec.resourceActions (group: "${group}", kind: ${kind})`;
  if (type === 'ignoreDifferences')
    return kind === 'all' && group === ''
      ? 'spec.resourceIgnoreDifferences.all'
      : `spec.resourceIgnoreDifferences.resourceIdentifiers (group: "${group}", kind: ${kind})`;
  return fieldOfKey(map, key) ?? otherField(map, key);
}

function otherField(map: MapName, key: string): string {
  switch (map) {
    case 'argocd-cm':
      return `spec.extraConfig[${JSON.stringify(key)}]`;
    case 'argocd-cmd-params-cm':
      return `spec.cmdParams[${JSON.stringify(key)}]`;
    case 'argocd-rbac-cm':
      return 'spec.rbac.policy, into which policies of other keys can be joined';
    default:
      return map satisfies never;
  }
}
