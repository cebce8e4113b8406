/** The version of the package, which packing replaces. */
export const VERSION = process.env.LSP_VERSION ?? 'unpacked';
