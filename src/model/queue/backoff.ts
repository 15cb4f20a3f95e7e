export interface ExponentialBackoff {
  /** Milliseconds before the first retry. */
  readonly initial: number;
  readonly max: number;
  /** From 0 to 1: how much of the second half of a delay is waited. All of it by default. */
  readonly random?: () => number;
}

/** The delay before a retry, by the number of failures in a row: doubles from `initial` up to `max`. */
export function exponentialBackoff({
  initial,
  max,
  random = () => 1,
}: ExponentialBackoff): (failures: number) => number {
  return (failures) => {
    const half = Math.min(max, initial * 2 ** (failures - 1)) / 2;
    return half + random() * half;
  };
}
