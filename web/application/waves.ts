import type { ToldWave, WavesAnswer } from '../../src/model/index.js';
import { useLoad, type Loaded } from '../http/load';
import { appPath, appQuery, type AppRef } from './path';

export function useWaves(app: AppRef, version: string): Loaded<WavesAnswer> {
  return useLoad<WavesAnswer>(appPath(app, '/waves'), appQuery(app), version);
}

const WAITED: Readonly<Record<string, string>> = {
  health: 'is Healthy',
  hook: 'has completed',
  deletion: 'is gone',
  'prune-confirmation': 'is confirmed for pruning',
  'unknown-kind': 'has its kind',
  image: 'is there',
};
const MOST = 3;

/** What a wave waits for before it starts, in words; empty for the first. */
export function waitText({ waitsFor, phase }: ToldWave): string {
  if (phase === 'SyncFail') return 'only if the sync fails';
  if (waitsFor.length === 0) return '';
  const names = waitsFor.slice(0, MOST).map(({ why, key }) => `${key.kind} ${key.name} ${WAITED[why] ?? why}`);
  return `after ${names.join(', ')}${waitsFor.length > MOST ? ` and ${waitsFor.length - MOST} more` : ''}`;
}
