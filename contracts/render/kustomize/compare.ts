import { Fault } from '../../../src/model/faults/index.js';
import type { Tree } from '../../../src/model/formats/index.js';
import { buildKustomization } from '../../../src/render/kustomize/build-kustomization.js';
import { kustomizationText } from '../../../src/render/kustomize/kustomization-text.js';
import { TreeReader } from '../../../src/render/common/tree-reader.js';
import type { RealBuild } from './real-kustomize.js';

/** `remote`: it asks for something from elsewhere, which only the caller can fetch. */
export type ComparisonOutcome = 'equal' | 'fails alike' | 'remote' | 'different' | 'fails otherwise';

export interface Comparison {
  readonly verdict: ComparisonOutcome;
  /** The first place that differs, or both errors. */
  readonly first: string;
  /** Whether both failed with the same words. */
  readonly sameWords: boolean;
  readonly ours: OurBuild;
}

export type OurBuild =
  | { readonly kind: 'built'; readonly text: string }
  | { readonly kind: 'remote' }
  | { readonly kind: 'failed'; readonly error: string };

export function buildOurs(tree: Tree, path: string): OurBuild {
  try {
    const outcome = buildKustomization({ reader: new TreeReader(tree), path });
    return outcome.kind === 'built'
      ? { kind: 'built', text: kustomizationText(outcome.manifests) }
      : { kind: 'remote' };
  } catch (error) {
    if (error instanceof Fault) return { kind: 'failed', error: error.message.trim() };
    throw error;
  }
}

export function compare(ours: OurBuild, real: RealBuild): Comparison {
  if (ours.kind === 'remote') return { verdict: 'remote', first: '', sameWords: false, ours };
  if (ours.kind === 'failed' || real.code !== 0) {
    const error = ours.kind === 'failed' ? ours.error : '(built)';
    const isAlike = ours.kind === 'failed' && real.code !== 0;
    return {
      verdict: isAlike ? 'fails alike' : 'fails otherwise',
      first: `real: ${real.error || '(built)'}\nours: ${error}`,
      sameWords: isAlike && error === real.error,
      ours,
    };
  }
  if (ours.text === real.stdout) return { verdict: 'equal', first: '', sameWords: false, ours };
  return { verdict: 'different', first: firstDifference(ours.text, real.stdout), sameWords: false, ours };
}

function firstDifference(ours: string, real: string): string {
  const [a, b] = [ours.split('\n'), real.split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  const index = at < 0 ? a.length : at;
  const around = (lines: readonly string[]): string => lines.slice(Math.max(0, index - 3), index + 4).join('\n  ');
  return `line ${index + 1}\nours:\n  ${around(a)}\nreal:\n  ${around(b)}`;
}
