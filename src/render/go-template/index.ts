/**
 * go-template: CONTRACT.
 */
export { ApplicationSetTemplates, normalizeName } from './application-set-templates.js';
export { TextTemplate } from './text-template.js';
