import type { JsonObject } from '../../model/json/index.js';

/** One entry of managedFields, seen as a witness. */
export interface FieldOwner {
  readonly manager: string;
  readonly time: string;
  /** We put there what it claims: what it claims and git lacks is to go. */
  readonly isOurs: boolean;
  /** A dry run as our manager shows what becomes of its fields; those of managers we took over from stay in it. */
  readonly current: boolean;
  /** It knows which lists have keys and which values are one piece. */
  readonly shape: boolean;
  /** A rule says that its fields may differ. */
  readonly trusted: boolean;
  /** It speaks about the server's prediction, not about live. */
  readonly predicted: boolean;
}

/** What a witness claims at and below one place; without a node it owns everything from a place above. */
export interface Claim {
  readonly owner: FieldOwner;
  readonly node: JsonObject | undefined;
}
