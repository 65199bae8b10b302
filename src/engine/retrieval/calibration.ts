/**
 * Calibration: models spread their cosines differently. Where one puts paraphrases at .31 and
 * strangers below .2, another puts them at .16 and .1. One factor per model (and side of a
 * pair) brings them to the scale that weights and thresholds were chosen on, so that the
 * threshold of the settings means the same whichever model serves.
 *
 * Measured on our own sets as the ratio of median paraphrase cosines; test/quality/RESULTS.md.
 */
interface ModelScale {
  readonly model: RegExp;
  /** For questions in Latin letters, and in others. */
  readonly latin: number;
  readonly other: number;
}

const SCALES: readonly ModelScale[] = [
  { model: /^english-multilingual-/, latin: 1.2, other: 2.1 },
  { model: /use-multilingual/, latin: 2, other: 1.6 },
  { model: /multilingual-e5-small/, latin: 1.8, other: 1.7 },
];

/** 1 for models that were not measured. */
export function cosineScale(embeddingVersion: string, query: string): number {
  const scale = SCALES.find(({ model }) => model.test(embeddingVersion));
  if (scale === undefined) return 1;
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  const latin = query.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return letters > 0 && (letters - latin) / letters >= 0.3 ? scale.other : scale.latin;
}
