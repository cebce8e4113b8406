import { defineConfig } from 'vite';

// scripts/console.mjs builds it, compresses the files, and checks the size of the first view.
export default defineConfig({
  base: '/console/',
  build: {
    outDir: '../src/generated/console',
    emptyOutDir: true,
    target: 'es2023',
    // Files are only ever sent by the service itself, and its policy forbids inlined fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
