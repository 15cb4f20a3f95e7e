/**
 * catalogue: CONTRACT.
 */
export { loadCatalogue } from './load-catalogue.js';
