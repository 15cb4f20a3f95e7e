import type { Json } from '../../model/json/index.js';
import type { Key } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';

/** Which object a row of an Application's status is about. */
export function listedKey(row: Json | undefined): Key {
  return {
    group: textAt(row, 'group'),
    kind: textAt(row, 'kind'),
    namespace: textAt(row, 'namespace'),
    name: textAt(row, 'name'),
  };
}
