import type { SpecialCall, SpecialHandlers } from './special-handlers.js';
import { objectBody } from './body.js';
import { clone, isObject } from '../../model/json/index.js';
import { notFound } from '../errors/index.js';
import {
  fromStored,
  keyFor,
  resourceOf,
  type VerbResult,
  decodeObject,
  replace,
  ownershipAfterWrite,
} from '../rest/index.js';

/** PUT namespaces/NAME/finalize: the one way to change spec.finalizers, and the last step of a namespace's life. */
export function namespaceHandlers(): SpecialHandlers {
  return new Map([
    ['/namespaces/finalize', { update: async (asked) => ({ code: 200, answer: await finalize(asked) }) }],
  ]);
}

async function finalize({ context, call, body }: SpecialCall): Promise<VerbResult> {
  const parsed = await body();
  const sent = decodeObject(call, objectBody(parsed, 'Namespace'), parsed?.duplicates ?? [], 'Ignore');
  const head = context.store.head(keyFor(call.type, '', call.name));
  if (!head) throw notFound(resourceOf(call.type), call.name);
  const next = clone(fromStored(call.type, head));
  const { resourceVersion } = sent.metadata;
  if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion;
  const spec = sent['spec'];
  next['spec'] = isObject(spec) ? spec : {};
  return replace(context, call, head, next, (live) => ownershipAfterWrite(context, call, live, next));
}
