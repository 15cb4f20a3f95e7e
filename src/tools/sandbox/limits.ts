/** What a run of a program may cost. */
export interface ToolLimits {
  readonly milliseconds: number;
  /** Of its standard output. */
  readonly outputBytes: number;
  /** Of the files that it is given. */
  readonly treeBytes: number;
  readonly entries: number;
  /** Programs at the same time. */
  readonly runs: number;
}

const MEGABYTE = 1024 * 1024;

/** 90 seconds are Argo CD's own limit for tools. */
export const TOOL_LIMITS: ToolLimits = {
  milliseconds: 90_000,
  outputBytes: 64 * MEGABYTE,
  treeBytes: 256 * MEGABYTE,
  entries: 100_000,
  runs: 4,
};
