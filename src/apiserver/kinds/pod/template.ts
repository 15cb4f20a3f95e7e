import { column, containerImages, containerNames, NAME, ensure, sub, kind } from '../../resources/index.js';
import { labelsText } from '../validation/label-selectors.js';
import { podSpecDefaults } from './defaults.js';
import { checkPodTemplate } from './spec.js';
import { collectFieldErrors } from '../validation/field-errors.js';

export const POD_TEMPLATE = kind({
  columns: [
    NAME,
    column('Containers', (object) => containerNames(sub(object, 'template.spec'))),
    column('Images', (object) => containerImages(sub(object, 'template.spec'))),
    column('Pod Labels', (object) => labelsText(sub(object, 'template.metadata'), 'labels')),
  ],
  strategy: {
    generation: true,
    defaults: (object) => podSpecDefaults(ensure(ensure(object, 'template'), 'spec')),
    validate: (object) => collectFieldErrors((to) => checkPodTemplate(to, sub(object, 'template'), 'template')),
    validateUpdate: (next) => collectFieldErrors((to) => checkPodTemplate(to, sub(next, 'template'), 'template')),
  },
});
