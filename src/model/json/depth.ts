/**
 * Most objects and lists inside one another that any text may have. The readers and everything that walks a value use
 * the call stack, so this stays far below what overflows it; real manifests are less than 100 deep.
 */
export const MAX_DEPTH = 500;
