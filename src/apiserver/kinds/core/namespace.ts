import { put } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { AGE, column, NAME, ensure, has, maybe, sub, text, texts, kind } from '../../resources/index.js';
import { qualifiedName } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

export const NAMESPACE = kind({
  columns: [NAME, column('Status', (object) => text(maybe(object, 'status'), 'phase')), AGE],
  fields: { 'status.phase': '' },
  strategy: {
    nameRule: 'label',
    /** generateName has been resolved by now, so the label is set in both cases. */
    defaults: labelName,
    prepareCreate(object) {
      labelName(object);
      object.status = { phase: 'Active' };
      const spec = ensure(object, 'spec');
      const finalizers = texts(spec, 'finalizers');
      if (!finalizers.includes('kubernetes')) spec.finalizers = [...finalizers, 'kubernetes'];
    },
    prepareUpdate(next, previous) {
      next.spec = { ...sub(next, 'spec'), finalizers: sub(previous, 'spec').finalizers };
      next.status = previous.status;
    },
    validate: (object) => collectFieldErrors((to) => checkFinalizers(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => checkFinalizers(to, next)),
    validateSubresource: (_, next) => collectFieldErrors((to) => checkFinalizers(to, next)),
    validateStatusUpdate: (next) =>
      collectFieldErrors((to) => {
        const phase = text(maybe(next, 'status'), 'phase');
        const ending = has(next.metadata, 'deletionTimestamp');
        if (!ending && phase !== 'Active')
          to.invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty");
        if (ending && phase !== 'Terminating')
          to.invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
      }),
  },
});

function labelName(object: KubeObject): void {
  const name = object.metadata.name ?? '';
  if (name !== '') put(ensure(object.metadata, 'labels'), 'kubernetes.io/metadata.name', name);
}

function checkFinalizers(to: FieldErrors, object: KubeObject): void {
  for (const name of texts(maybe(object, 'spec'), 'finalizers')) {
    to.invalidEach('spec.finalizers', name, qualifiedName(name));
    if (!name.includes('/') && !STANDARD_FINALIZERS.includes(name)) {
      to.invalid('spec.finalizers', name, 'name is neither a standard finalizer name nor is it fully qualified');
    }
  }
}
