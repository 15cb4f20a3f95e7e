import { Fault } from '../faults/index.js';

/**
 * Why a patch was refused: its form is wrong, it asks for too much, it does not fit the object, or it could not be
 * worked out. The API server answers 400, 413, 422 and 500.
 */
export type PatchFaultReason = 'malformed' | 'too-large' | 'inapplicable' | 'failed';

/** A patch that cannot be applied. The message is the API server's. */
export class PatchFault extends Fault {
  constructor(
    readonly reason: PatchFaultReason,
    message: string,
  ) {
    super('PATCH_INVALID', message);
  }
}
