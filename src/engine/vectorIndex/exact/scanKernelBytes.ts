/**
 * The exact index's inner loop as WebAssembly, 231 bytes. Made from scripts/scanKernel.wat by
 * scripts/buildScanKernel.mjs, where it can be read; never edited by hand.
 */
export const SCAN_KERNEL_BASE64 =
  'AGFzbQEAAAABCgFgBn9/f39/fwADAgEABQMBAAEHEQIGbWVtb3J5AgAEc2NhbgAACrQBAbEBAgF/A3sCQANAIARFDQH9DAAAAAAAAAAAAAAAAAAAAAAhCUEA' +
  'IQYDQCAAIAZq/QAEACEHIAEgBmr9AAQAIQggCSAHIAj9nAH9fv2uASEJIAkgByAI/Z0B/X79rgEhCSAGQRBqIQYgBiAFSQ0ACyADIAIqAgAgCf0bACAJ/RsB' +
  'aiAJ/RsCIAn9GwNqarKUOAIAIAEgBWohASACQQRqIQIgA0EEaiEDIARBAWshBAwACwsL';
