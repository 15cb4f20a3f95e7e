/**
 * catalogue: the health checks and actions that come with Argosy, parsed from YAML and compiled. Takes files as text;
 * gives a check for each kind. An entry that is wrong fails when it is loaded, with file and field.
 */
export type { Action, ActionParameter, Arguments, Impact } from './action.js';
export type { CatalogueAction } from './catalogue-action.js';
export { readCatalogue, type Catalogue, type CatalogueFile } from './catalogue.js';
export type { CatalogueEntry, FactDeclaration } from './entry.js';
export { openCatalogue } from './open-catalogue.js';
export type { Facts } from './scope.js';
