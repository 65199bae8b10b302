/**
 * `npm run check`: what to run before each commit, the fast suites of `npm test`.
 */
process.argv.push('--fast');
await import('./test.mjs');
