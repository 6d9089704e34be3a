import process from 'node:process';
import { type ProxyOptions, defineConfig } from 'vite';

// In development the page comes from Vite and everything else from a running daemon.
const socket = process.env['GPUSCHED_SOCKET'];
const toDaemon: Record<string, ProxyOptions> = socket ? { '/v1': { target: { socketPath: socket, host: 'localhost', port: 80 } } } : {};

export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: process.env['GPUSCHED_PAGE_OUT'] ?? 'dist',
    emptyOutDir: true,
    target: 'es2021',
    // The policy of the page forbids everything inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: toDaemon },
});
