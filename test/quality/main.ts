/**
 * Entry of `npm run quality`: `recall` (default), `extraction` or `secrets`, then its own flags.
 */
const [what] = process.argv.slice(2);
if (what === 'extraction') await import('./extraction/run.ts');
else if (what === 'secrets') await import('./secrets/run.ts');
else await import('./recall/run.ts');
