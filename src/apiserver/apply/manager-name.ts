const MAX_BYTES = 128;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The manager of a request that names none: what stands before the first slash of its user agent. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager;
  let name = '';
  let bytes = 0;
  for (const char of (userAgent ?? '').split('/', 1)[0] ?? '') {
    if (!PRINTABLE.test(char)) continue;
    bytes += Buffer.byteLength(char);
    if (bytes > MAX_BYTES) break;
    name += char;
  }
  return name;
}
