import { defineConfig } from 'vite';

/**
 * The page is built into dist/web; scripts/build.mjs does it. With `npx vite web` it is served as it is written, beside
 * a running Argosy.
 */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/web',
    target: 'es2022',
    // One policy for content, without exceptions: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/auth': 'http://127.0.0.1:8080' } },
});
