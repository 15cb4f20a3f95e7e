import { isObject, writeJson, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { selectFields, type FieldChoice } from './select-fields.js';

/**
 * As Argo CD's server writes it: no kind, the fields in its order, and a status of which the parts that clients read
 * are always there.
 */
export function applicationView({ metadata, spec, status, operation }: KubeObject): JsonObject {
  const { managedFields: _, ...visibleMetadata } = metadata;
  const fields = isObject(status) ? status : {};
  return {
    metadata: visibleMetadata,
    spec: spec ?? {},
    status: {
      ...fields,
      health: fields.health ?? {},
      summary: fields.summary ?? {},
      sync: fields.sync ?? { status: 'Unknown', comparedTo: { destination: {}, source: { repoURL: '' } } },
    },
    ...(isObject(operation) ? { operation } : {}),
  };
}

/** So many different choices of fields are remembered: pages ask for the same few again and again. */
const MAX_CHOICES = 8;

/**
 * Applications as JSON, written once for each version: an object of the cache is replaced when it changes, so its text
 * goes with it.
 */
export class ApplicationTexts {
  readonly #whole = new WeakMap<KubeObject, string>();
  readonly #chosen = new Map<string, WeakMap<KubeObject, string>>();

  of(application: KubeObject, choice?: FieldChoice, choiceText = ''): string {
    const texts = choice === undefined ? this.#whole : this.#for(choiceText);
    const known = texts.get(application);
    if (known !== undefined) return known;
    const view = applicationView(application);
    const text = writeJson(choice === undefined ? view : selectFields(view, choice));
    texts.set(application, text);
    return text;
  }

  #for(choice: string): WeakMap<KubeObject, string> {
    const known = this.#chosen.get(choice);
    if (known !== undefined) return known;
    const fresh = new WeakMap<KubeObject, string>();
    this.#chosen.set(choice, fresh);
    const [oldest] = this.#chosen.keys();
    if (this.#chosen.size > MAX_CHOICES && oldest !== undefined) this.#chosen.delete(oldest);
    return fresh;
  }
}
