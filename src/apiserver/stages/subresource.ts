import { isObject, type JsonObject } from '../../model/json/index.js';
import { fromJson } from '../cel/index.js';
import { internalError, notFound } from '../errors/index.js';
import { inProcessClient } from '../controller-runtime/index.js';
import type { StageHost } from './start-stages.js';
import { fill, type Template } from './templates.js';

/**
 * A subresource that no CustomResourceDefinition could have, such as `buildconfigs/NAME/instantiate`: a POST to it
 * changes the object and is answered with another one, so an API that starts something is data as well.
 */
export interface PlayedSubresource {
  readonly file: string;
  readonly of: { readonly group: string; readonly kind: string };
  readonly name: string;
  /** A merge patch of the object, over `self`. */
  readonly patch: Template;
  /** Over `self` as it was before. */
  readonly answer: Template;
}

const COMPONENT = 'played-subresource';

/** Serves them from now on, as soon as their kinds are served. */
export function startSubresources({ context }: StageHost, subresources: readonly PlayedSubresource[]): void {
  const client = inProcessClient(context, COMPONENT);
  for (const { of, name, patch, answer } of subresources) {
    context.subresources?.set(`${of.group}/${of.kind}/${name}`, async ({ type, namespace, name: its, dryRun }) => {
      const self = client.get(type, namespace, its);
      if (self === undefined) throw notFound({ group: type.group, resource: type.plural }, its);
      const values = new Map([['self', fromJson(self)]]);
      const [change, object] = [fill(patch, { values }), fill(answer, { values })];
      if (!isObject(change) || !isObject(object)) throw internalError(`${of.kind} ${its} has no answer for ${name}`);
      if (!dryRun) await client.mergePatch(type, namespace, its, change);
      return object satisfies JsonObject;
    });
  }
}
