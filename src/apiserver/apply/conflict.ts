import { compareText, quoteGo } from '../../model/go/index.js';
import { pathText, type FieldPath } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import { identityOf, type Manager } from './managers.js';

/** A field that an apply would change although another manager owns it. */
export interface Conflict {
  readonly manager: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>;
  readonly path: FieldPath;
}

/** 409, in the words of the real server. */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(manager)}`,
    field: pathText(path),
  }));
  return new ApiError(409, 'Conflict', conflictMessage(conflicts), { causes });
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${managerText(only.manager)}: ${pathText(only.path)}`;
  const lines = new Map<string, string[]>();
  for (const { manager, path } of conflicts) {
    const id = identityOf(manager);
    let group = lines.get(id);
    if (group === undefined) lines.set(id, (group = [`conflicts with ${managerText(manager)}:`]));
    group.push(`- ${pathText(path)}`);
  }
  const sorted = [...lines].sort(([a], [b]) => compareText(a, b)).flatMap(([, group]) => group);
  return `Apply failed with ${conflicts.length} conflicts: ${sorted.join('\n')}`;
}

/** Appliers are the same in every version, so only updaters are printed with theirs. */
function managerText({ name, operation, apiVersion, subresource }: Conflict['manager']): string {
  const text = `${quoteGo(name)}${subresource === '' ? '' : ` with subresource ${quoteGo(subresource)}`}`;
  return operation === 'Update' ? `${text} using ${apiVersion}` : text;
}
