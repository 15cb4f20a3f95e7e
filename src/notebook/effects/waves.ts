import type { Json } from '../../model/json/index.js';
import { type NotebookJob, isOver, type JobStatus } from '../job/index.js';

const SYNC_WAVE = 'argocd.argoproj.io/sync-wave';
const BLOCK_WAVE = 'mlops.dev/block-wave';
const COMPLETE = 'mlops.dev/wave-complete';
const FAILED = 'mlops.dev/wave-failed';
const COMPLETED_AT = 'mlops.dev/completion-time';

export type BlockWave =
  | { readonly kind: 'blocks'; readonly wave: number }
  | { readonly kind: 'invalid'; readonly message: string };

/** Which wave waits for this notebook; undefined where none is named. */
export function blockWave({ annotations }: NotebookJob): BlockWave | undefined {
  const text = annotations[BLOCK_WAVE];
  if (text === undefined) return undefined;
  const own = readWave(annotations[SYNC_WAVE]) ?? 0;
  const wave = readWave(text);
  if (wave !== undefined && wave > own) return { kind: 'blocks', wave };
  return {
    kind: 'invalid',
    message:
      `annotation ${BLOCK_WAVE} is ${JSON.stringify(text)}: it must be an integer greater than the wave ` +
      `of the job (${own}); the job is an ordinary gate`,
  };
}

function readWave(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Wave annotations to change for the phase, as a merge patch; undefined if there are none. A running job has none of
 * them: a stale one would open the next wave of a new sync.
 */
export function waveAnnotations(
  { annotations }: NotebookJob,
  status: JobStatus,
): Readonly<Record<string, Json>> | undefined {
  const wave = annotations[SYNC_WAVE] || (annotations[BLOCK_WAVE] === undefined ? '' : '0');
  if (wave === '' && annotations[COMPLETE] === undefined && annotations[FAILED] === undefined) return undefined;
  const over = isOver(status) && wave !== '';
  const wanted: readonly (readonly [string, string | undefined])[] = [
    [COMPLETE, over && status.phase === 'Succeeded' ? wave : undefined],
    [FAILED, over && status.phase === 'Failed' ? wave : undefined],
    [COMPLETED_AT, over ? status.completionTime : undefined],
  ];
  const wrong = wanted.filter(([name, value]) => annotations[name] !== value);
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong.map(([name, value]) => [name, value ?? null]));
}
