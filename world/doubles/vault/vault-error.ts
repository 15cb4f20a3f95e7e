/** An answer that is no success: a status and what stands in `errors`. */
export class VaultError extends Error {
  constructor(
    readonly status: number,
    readonly errors: readonly string[] = [],
  ) {
    super(errors.join('; '));
  }
}

/** Several errors in the one text that Vault makes of them. */
function joined(...errors: readonly string[]): string {
  return `${errors.length === 1 ? '1 error' : `${errors.length} errors`} occurred:\n\t* ${errors.join('\n\t* ')}\n\n`;
}

export const sealed = (): VaultError => new VaultError(503, ['Vault is sealed']);
export const notFound = (): VaultError => new VaultError(404);
export const badRequest = (message: string): VaultError => new VaultError(400, [message]);
/** A login or a call without a token. */
export const denied = (): VaultError => new VaultError(403, ['permission denied']);
/** A token that does not exist (any more). */
export const invalidToken = (): VaultError => new VaultError(403, [joined('permission denied', 'invalid token')]);
/** A token whose policies do not allow it. */
export const notAllowed = (): VaultError => new VaultError(403, [joined('permission denied')]);
export const noRoute = (path: string): VaultError =>
  new VaultError(404, [`no handler for route "${path}". route entry not found.`]);
export const wrongMethod = (): VaultError => new VaultError(405, [joined('unsupported operation')]);
