/**
 * Calibration: models spread their cosines differently. Where one puts paraphrases at .34 and
 * strangers below .2, another puts them at .17 and .1. One factor per model (and side of a
 * pair) brings them to the scale that weights and thresholds were chosen on, so that the
 * threshold of the settings means the same whichever model serves.
 *
 * Measured on our own sets as the ratio of median paraphrase cosines; test/quality/TRIED.md.
 */
export interface Calibration {
  /** A cosine times this is comparable with the threshold. */
  readonly scale: number;
  /**
   * Strangers and paraphrases lie too near each other for a low cosine to say that nothing here speaks
   * of the question: silence would cost one right answer in ten and keep out nothing.
   */
  readonly overlaps: boolean;
  /** Best cosine, scaled, below which nothing here speaks of the question, where that is known better than the gate's own. */
  readonly spokenOf?: number;
}

interface ModelCalibration {
  readonly model: RegExp;
  /** For questions in Latin letters, and in others. */
  readonly latin: Calibration;
  readonly other: Calibration;
}

const MODELS: readonly ModelCalibration[] = [
  { model: /^english-multilingual-/, latin: { scale: 1.2, overlaps: false }, other: { scale: 1.4, overlaps: true, spokenOf: 0.18 } },
  { model: /use-multilingual/, latin: { scale: 2, overlaps: true }, other: { scale: 1.6, overlaps: true } },
  { model: /multilingual-e5-small/, latin: { scale: 1.8, overlaps: false }, other: { scale: 1.7, overlaps: true } },
];

/** For models that were not measured, and where no model serves. */
export const UNCALIBRATED: Calibration = { scale: 1, overlaps: false };

export function calibrationOf(embeddingVersion: string, query: string): Calibration {
  const found = MODELS.find(({ model }) => model.test(embeddingVersion));
  if (found === undefined) return UNCALIBRATED;
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  const latin = query.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return letters > 0 && (letters - latin) / letters >= 0.3 ? found.other : found.latin;
}
