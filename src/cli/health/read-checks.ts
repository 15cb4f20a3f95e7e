import { existsSync, readdirSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { isFatal, lintHealthScript } from '../../health/index.js';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { readText } from '../files/index.js';

/** A health check to install. */
export interface Check {
  readonly group: string;
  readonly kind: string;
  readonly check: string;
}

/** Checks that come with Argosy for Argo CD, and those of a folder, which count more. */
export function readChecks(catalogue: string, folder: string | undefined): Check[] {
  const all = [...checksBelow(join(catalogue, 'for-argocd')), ...(folder === undefined ? [] : checksOf(folder))];
  return [...new Map(all.map((check) => [checkKey(check), check])).values()].sort((a, b) =>
    compareText(checkKey(a), checkKey(b)),
  );
}

/** The key that a check has in argocd-cm. */
export function checkKey({ group, kind }: Pick<Check, 'group' | 'kind'>): string {
  return `resource.customizations.health.${group === '' ? kind : `${group}_${kind}`}`;
}

/** `Kind (group)`, as people read it. */
export function checkTitle({ group, kind }: Pick<Check, 'group' | 'kind'>): string {
  return group === '' ? kind : `${kind} (${group})`;
}

function checksOf(folder: string): Check[] {
  if (!existsSync(folder)) throw new Fault('FILE_UNREADABLE', `folder ${folder} not found`, { where: folder });
  const found = checksBelow(folder);
  if (found.length === 0)
    throw new Fault(
      'USAGE',
      'no checks in the folder: name files GROUP/KIND/health.lua as Argo CD does, or GROUP_KIND.lua',
      { where: folder },
    );
  return found;
}

/** GROUP/KIND/health.lua as in Argo CD's own folder, or GROUP_KIND.lua; `core`, or no group, is the core group. */
function checksBelow(folder: string): Check[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort(compareText)
    .flatMap((path) => {
      const kind = kindOf(path.split(sep));
      if (kind === undefined) return [];
      const file = join(folder, path);
      const check = readText(file);
      const [broken] = lintHealthScript({ source: check, name: file, ...kind }).filter(isFatal);
      if (broken !== undefined)
        throw new Fault(
          'CHECK_FAILED',
          `the check cannot be installed: ${broken.message.replace(/\.$/, '')}; ${broken.hint}`,
          { where: `${file}:${broken.where.line}` },
        );
      return [{ ...kind, check }];
    });
}

function kindOf(parts: readonly string[]): { group: string; kind: string } | undefined {
  const file = parts.at(-1) ?? '';
  if (file === 'health.lua') {
    const [group = '', kind = ''] = parts.slice(-3);
    return parts.length >= 3 ? { group: group === 'core' ? '' : group, kind } : undefined;
  }
  if (!file.endsWith('.lua') || parts.length !== 1) return undefined;
  const [first = '', second] = basename(file, '.lua').split('_');
  return second === undefined ? { group: '', kind: first } : { group: first === 'core' ? '' : first, kind: second };
}
