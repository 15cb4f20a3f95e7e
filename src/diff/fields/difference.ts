import type { Json } from '../../model/json/index.js';

/** One field where target and live disagree. */
export interface Difference {
  /** JSON pointer, such as `/spec/replicas` or `/metadata/annotations/a~1b`. */
  readonly pointer: string;
  /** changed: both have it. missing: live lacks it. extra: git no longer has it, and we put it there. */
  readonly kind: 'changed' | 'missing' | 'extra';
  readonly target?: Json;
  readonly live?: Json;
  /** The manager that owns the field in the cluster; empty where nobody says. */
  readonly owner: string;
  /** When that manager last wrote, RFC 3339; empty where nobody says. */
  readonly since: string;
}
