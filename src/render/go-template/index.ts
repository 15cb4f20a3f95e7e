/**
 * go-template: what templates of Helm and of ApplicationSets share: parsing and running a Go template outside of a
 * chart.
 * Takes text and values; gives text within a step budget.
 */
export { ApplicationSetTemplates, normalizeName } from './application-set-templates.js';
export { TextTemplate } from './text-template.js';
