import { useLoad, type Loaded } from '../http/load';
import { appPath, appQuery, type AppRef } from './path';

/** What a sync would do, wave by wave. */
export interface PlannedWave {
  readonly phase: string;
  readonly wave: number;
  readonly tasks: readonly PlannedTask[];
  readonly waitsFor: readonly { readonly why: string; readonly key: PlannedKey }[];
}

interface PlannedKey {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PlannedTask {
  readonly key: PlannedKey;
  readonly does: string;
  readonly isHook: boolean;
  readonly status?: string;
  readonly phase?: string;
  readonly notes: readonly string[];
}

export interface Waves {
  readonly waves: readonly PlannedWave[];
}

export function useWaves(app: AppRef, version: string): Loaded<Waves> {
  return useLoad<Waves>(appPath(app, '/waves'), appQuery(app), version);
}

const WAITED: Readonly<Record<string, string>> = { health: 'is Healthy', hook: 'has completed', deletion: 'is gone', 'prune-confirmation': 'is confirmed for pruning', 'unknown-kind': 'has its kind', image: 'is there' };
const MOST = 3;

/** What a wave waits for before it starts, in words; empty for the first. */
export function waitText({ waitsFor, phase }: PlannedWave): string {
  if (phase === 'SyncFail') return 'only if the sync fails';
  if (waitsFor.length === 0) return '';
  const names = waitsFor.slice(0, MOST).map(({ why, key }) => `${key.kind} ${key.name} ${WAITED[why] ?? why}`);
  return `after ${names.join(', ')}${waitsFor.length > MOST ? ` and ${waitsFor.length - MOST} more` : ''}`;
}
