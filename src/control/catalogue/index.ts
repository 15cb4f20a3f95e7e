/**
 * catalogue: reads the folder of health checks and actions that comes with Argosy. Takes its path; gives a Catalogue
 * that reads the files when the first object is assessed, or the files themselves for another thread. Never writes.
 */
export { loadCatalogue, readCatalogueFiles } from './load-catalogue.js';
