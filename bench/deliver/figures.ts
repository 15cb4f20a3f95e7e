/**
 * What Argo CD 3.5 took for the same work on the same kind of machine (2 cores, which the control plane shares):
 * measured before, not in this run. Seconds, processor seconds of all its processes, their peak memory in bytes.
 */
export interface Figure {
  readonly seconds?: number;
  readonly cpu?: number;
  readonly bytes?: number;
}

const GB = 1e9;

export const ARGO_CD: Readonly<Record<string, Figure>> = {
  'create 50': { seconds: 33, cpu: 48, bytes: 0.94 * GB },
  'create 200': { seconds: 134, cpu: 197, bytes: 1.09 * GB },
  'commit 50': { seconds: 28, cpu: 45, bytes: 1.2 * GB },
  'commit 200': { seconds: 106, cpu: 169, bytes: 1.35 * GB },
  one: { seconds: 0.59, cpu: 1 },
  'heal delete': { seconds: 0.22 },
  'heal modify': { seconds: 0.31 },
  restart: { seconds: 11, cpu: 12.5, bytes: 0.64 * GB },
  drift: { seconds: 135 },
  large: { seconds: 62, cpu: 105, bytes: 0.8 * GB },
  'large one': { seconds: 50, cpu: 91, bytes: 0.8 * GB },
  waves: { seconds: 11.4, cpu: 5.5 },
};

/** Its own best option for the first row, `Validate=false`, 50 applications. */
export const ARGO_CD_WITHOUT_VALIDATION: Required<Pick<Figure, 'seconds' | 'cpu'>> = { seconds: 15.6, cpu: 15 };

export const ARGO_CD_FIVE_HEALS: readonly number[] = [0.3, 0.8, 5.5, 17, 54];

/** Limits of ours that hold whatever the other side needs. */
const OWN: Readonly<Record<string, number>> = {
  drift: 5,
  'large one': 1,
  waves: 2,
  'create 50': ARGO_CD_WITHOUT_VALIDATION.seconds / 2,
};

const SUBSECOND = 1;

/** A fifth of the time (half, where it is under a second), a tenth of the processor time, a quarter of the memory. */
export function barOf(row: string): Figure {
  const argo = ARGO_CD[row] ?? {};
  const relative = argo.seconds === undefined ? undefined : argo.seconds / (argo.seconds < SUBSECOND ? 2 : 5);
  const limits = [relative, OWN[row]].filter((limit) => limit !== undefined);
  return {
    ...(limits.length === 0 ? {} : { seconds: Math.min(...limits) }),
    ...(argo.cpu === undefined ? {} : { cpu: argo.cpu / 10 }),
    ...(argo.bytes === undefined ? {} : { bytes: argo.bytes / 4 }),
  };
}
