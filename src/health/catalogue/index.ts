/**
 * catalogue: CONTRACT.
 */
export type { Action, ActionParameter, Arguments, Impact } from './action.js';
export type { CatalogueAction } from './catalogue-action.js';
export { readCatalogue, type Catalogue, type CatalogueFile } from './catalogue.js';
export type { CatalogueEntry, FactDeclaration } from './entry.js';
export { openCatalogue } from './open-catalogue.js';
export type { Facts } from './scope.js';
