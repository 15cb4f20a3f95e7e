import { column, containerImages, containerNames, NAME } from './columns.js';
import { ensure, sub } from './fields.js';
import { kind } from './kind.js';
import { labelsText } from './label-selectors.js';
import { podSpecDefaults } from './pod-defaults.js';
import { checkPodTemplate } from './pod-spec.js';
import { report } from './report.js';

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
    validate: (object) => report((to) => checkPodTemplate(to, sub(object, 'template'), 'template')),
    validateUpdate: (next) => report((to) => checkPodTemplate(to, sub(next, 'template'), 'template')),
  },
});
