/** A file of a chart: its path inside, with slashes, and its content without a byte order mark. */
export interface ChartFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Equal for equal content; what was made of the content is kept under it. */
  readonly id: string;
  /** Where it is in the repository, or in the archive it came from. */
  readonly path: string;
}

export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

export const MAX_FILE_BYTES = 5 * 1024 * 1024;
export const MAX_CHART_BYTES = 100 * 1024 * 1024;
export const MAX_FILES = 20_000;
