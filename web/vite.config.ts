import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: {
    outDir: process.env['GPUSCHED_PAGE_OUT'] ?? 'dist',
    emptyOutDir: true,
    target: 'es2021',
    // The policy of the page forbids everything inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
