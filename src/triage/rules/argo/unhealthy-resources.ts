import { type JsonObject, objectsAt } from '../../../model/json/index.js';
import type { Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';

export function badResources(app: Node): JsonObject[] {
  return objectsAt(app.object, 'status', 'resources').filter(
    (resource) => !['Healthy', '', 'Suspended'].includes(textAt(resource, 'health', 'status')),
  );
}
