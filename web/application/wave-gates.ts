import type { WavesResponse } from '../../src/model/api/index.js';
import type { WireApplication } from '../http/wire';
import { waitText } from './waves';

/** Who holds a wave, in words, and whether it does so now. */
export interface WaveGate {
  readonly says: string;
  readonly isHeld: boolean;
}

/** The gate before each wave of the Sync phase. While a sync runs, the one it stands at says so. */
export function gatesOf(waves: WavesResponse | undefined, application: WireApplication): ReadonlyMap<number, WaveGate> {
  const message =
    application.status?.operationState?.phase === 'Running' ? (application.status.operationState.message ?? '') : '';
  const gates = new Map<number, WaveGate>();
  for (const wave of waves?.waves ?? []) {
    const says = waitText(wave);
    if (says === '' || wave.phase !== 'Sync') continue;
    const isHeld =
      wave.waitsFor.some(({ key }) => message.includes(`${key.kind}/${key.name}`)) &&
      wave.tasks.every(({ status }) => status === undefined);
    gates.set(wave.wave, { says, isHeld });
  }
  return gates;
}
