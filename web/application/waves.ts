import type { WaveView, WavesResponse } from '../../src/model/api/index.js';
import { useLoad, type Loaded } from '../http/load';
import { appPath, appQuery, type AppRef } from '../http/application-path';

export function useWaves(app: AppRef, version: string): Loaded<WavesResponse> {
  return useLoad<WavesResponse>(appPath(app, '/waves'), appQuery(app), version);
}

const WAIT_REASONS: Readonly<Record<string, string>> = {
  health: 'is Healthy',
  hook: 'has completed',
  deletion: 'is deleted',
  'prune-confirmation': 'is confirmed for pruning',
  'unknown-kind': 'has its CRD',
  image: 'exists',
};
const MAX_NAMES = 3;

/** What a wave waits for before it starts, in words; empty for the first. */
export function waitText({ waitsFor, phase }: WaveView): string {
  if (phase === 'SyncFail') return 'only if the sync fails';
  if (waitsFor.length === 0) return '';
  const names = waitsFor
    .slice(0, MAX_NAMES)
    .map(({ why, key }) => `${key.kind} ${key.name} ${WAIT_REASONS[why] ?? why}`);
  return `after ${names.join(', ')}${waitsFor.length > MAX_NAMES ? ` and ${waitsFor.length - MAX_NAMES} more` : ''}`;
}
