import type { PatchView } from '../../model/api/index.js';
import { isSecretName } from '../services/index.js';
import { gitDiff, type FilePatch, type PatchSet } from '../triage/index.js';

/** The patches of one cause, as the page gets them. */
export interface PatchesView {
  readonly patches: readonly PatchView[];
  readonly proof: readonly string[];
}

function otherChanges(others: PatchSet['others']): string {
  if (others.length === 0) return 'Nothing else changes.';
  const more = others.length > 5 ? ` and ${others.length - 5} more` : '';
  return `Also changes: ${others.slice(0, 5).join(', ')}${more}.`;
}

export function toPatchesView({ patches, rendered, others, asIn, expected }: PatchSet): PatchesView {
  if (patches.length === 0) return { patches: [], proof: [] };
  return {
    patches: patches.map(toPatchView),
    proof: [
      `Rendered before and after: ${rendered === 1 ? 'one application' : `${rendered} applications`}. ` +
        otherChanges(others),
      ...(asIn === undefined ? [] : [`Restores the file from commit ${asIn.slice(0, 12)}; review first.`]),
      ...(expected === undefined
        ? []
        : [
            'Tested on the snapshot: the finding is resolved.',
            ...expected.next.slice(0, 3).map((next) => `Next: ${next}`),
          ]),
    ],
  };
}

/** So many lines around a change; one is the least that `git apply` finds its place by. */
const CONTEXTS = [3, 2, 1];

/**
 * Somebody who may see an application may not see its Secrets, and people commit those in plain text too: they stay
 * out, and else the patch does.
 */
function toPatchView(patch: FilePatch): PatchView {
  const {
    checkout: { url, revision },
    file,
    line,
    before = '',
    after = '',
  } = patch;
  const diffs = isSecretFile(before) || isSecretFile(after) ? [] : CONTEXTS.map((context) => gitDiff(patch, context));
  return {
    repository: url,
    revision,
    file,
    line,
    diff: diffs.find((diff) => !diff.split('\n').some(isSecretLine)) ?? '',
  };
}

function isSecretFile(text: string): boolean {
  return text
    .split('\n')
    .map(fieldOf)
    .some(({ name, value }) => name === 'kind' && /^["']?Secret\b/.test(value));
}

const NOTHING_SECRET = /^(?:""|''|\{|\[|[|>~]|null|true|false|\d+\s*$)/;

function isSecretLine(line: string): boolean {
  const { name, value } = fieldOf(line);
  return isSecretName(name) && !NOTHING_SECRET.test(value);
}

/** A line of YAML, or of a diff of it, that gives a field a value. */
function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const [, name = '', value = ''] = /^[-+ ]?\s*(?:- )?["']?([\w.-]+)["']?:\s*(\S.*)$/.exec(line) ?? [];
  return { name, value };
}
