import type { YamlNode } from '../yaml/node.js';

/** The node that is patched and the patch, at one place. Either may be missing. */
export interface Pair {
  dest: YamlNode | undefined;
  readonly patch: YamlNode | undefined;
}

export interface Merged {
  readonly node: YamlNode | undefined;
  /** A null that stays in the object, because it was written there and no patch speaks of it. */
  readonly keepNull?: boolean;
}
