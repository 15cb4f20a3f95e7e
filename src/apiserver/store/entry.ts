import { parseJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Stored } from './store.js';

/**
 * One kept object as text. The parsed form lives only as long as somebody uses it: ten thousand would cost too much.
 */
export class Entry implements Stored {
  #parsed: WeakRef<KubeObject> | undefined;

  /** `object` spares the first parse where the writer still has what the text was made from. */
  constructor(
    readonly key: string,
    readonly revision: number,
    readonly body: string,
    object?: KubeObject,
  ) {
    if (object !== undefined) this.#parsed = new WeakRef(object);
  }

  get object(): KubeObject {
    const known = this.#parsed?.deref();
    if (known !== undefined) return known;
    const parsed = parseJson(this.body) as KubeObject;
    this.#parsed = new WeakRef(parsed);
    return parsed;
  }
}
