/**
 * Entry of `npm run quality`: `recall` (default), `extraction`, `modelPath`, `consolidation`, `beliefs` or `secrets`, then its own flags.
 */
const [what] = process.argv.slice(2);
if (what === 'extraction') await import('./extraction/run.ts');
else if (what === 'modelPath') await import('./extraction/modelPath.ts');
else if (what === 'consolidation') await import('./consolidation/run.ts');
else if (what === 'beliefs') await import('./consolidation/beliefs.ts');
else if (what === 'secrets') await import('./secrets/run.ts');
else await import('./recall/run.ts');
