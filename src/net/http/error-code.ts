/** `ECONNREFUSED`, `DEPTH_ZERO_SELF_SIGNED_CERT` and the like: the code of a failure below HTTP, if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
