import { isObject, own, type Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type RestContext, scaleOf } from '../rest/index.js';
import { AGE, column, type Column, type ResourceType } from '../resources/index.js';
import { sendObject, type Reply } from './respond.js';
import { tableOf } from './table.js';

const replicas = (part: Json | undefined): Json => (isObject(part) ? (own(part, 'replicas') ?? 0) : 0);

const COLUMNS: readonly Column[] = [
  column('Name', (scale) => scale.metadata.name ?? ''),
  column('Desired', (scale) => replicas(scale['spec']), 'integer'),
  column('Available', (scale) => replicas(scale['status']), 'integer'),
  AGE,
];

/** Sends the Scale of an object, as a Table where the client asked for one. */
export function sendScale(reply: Reply, context: RestContext, type: ResourceType, object: KubeObject): void {
  const scale = scaleOf(type, object);
  if (reply.format.as !== 'Table') return sendObject(reply, 200, scale);
  const metadata = { resourceVersion: scale.metadata.resourceVersion ?? '' };
  return sendObject(
    reply,
    200,
    tableOf({ columns: COLUMNS, strategy: {} }, [scale], metadata, 'Metadata', context.clock.now()),
  );
}
