import { visitField } from '../config/field-spec.js';
import { invalid } from '../fault.js';
import { decodeWhole, struct } from '../kustomization/decode.js';
import { fieldSpecs, replica } from '../kustomization/types.js';
import { gvkText, isSelectedBy } from '../resource/res-id.js';
import { INT_TAG } from '../yaml/node.js';
import { entrySetter } from './set-entry.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('ReplicaCountTransformerPlugin', { replica, fieldSpecs });

/** Sets the number of replicas of the workload that has a name, now or before. */
export const replicaTransformer: TransformerFactory = (config) => {
  const {
    replica: { name, count },
    fieldSpecs: specs,
  } = decodeWhole(type, config, false);
  return {
    transform(resources) {
      let found = false;
      for (const spec of specs) {
        for (const { node } of resources.byAnyId((id) => id.name === name && isSelectedBy(id, spec))) {
          found = true;
          visitField(node, {
            spec,
            set: entrySetter('', String(count), INT_TAG),
            createKind: 'scalar',
            createTag: INT_TAG,
          });
        }
      }
      if (!found)
        throw invalid(
          `resource with name ${name} does not match a config with the following GVK [${specs.map(gvkText).join(' ')}]`,
        );
    },
  };
};
