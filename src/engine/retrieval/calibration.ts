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
  /**
   * Whether the model knows the letters of a text. Of one in another script, or of signs alone, it gives the vector of
   * nothing, which is near to whatever else it cannot read: such a text is found by its words only.
   */
  readonly reads: (text: string) => boolean;
}

type Scale = Omit<Calibration, 'reads'>;

interface ModelCalibration {
  readonly model: RegExp;
  /** For questions in Latin letters, and in others. */
  readonly latin: Scale;
  readonly other: Scale;
  /** The letters it knows; absent: all. */
  readonly letters?: RegExp;
}

/** Of the bundled multilingual model's vocabulary; of other scripts it has some dozen single letters at most. */
const BUNDLED_LETTERS = /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Thai}]/gu;
const LATIN_LETTERS = /\p{Script=Latin}/gu;

const MODELS: readonly ModelCalibration[] = [
  { model: /^english-multilingual-/, latin: { scale: 1.2, overlaps: false }, other: { scale: 1.4, overlaps: true, spokenOf: 0.18 }, letters: BUNDLED_LETTERS },
  { model: /use-multilingual/, latin: { scale: 2, overlaps: true }, other: { scale: 1.6, overlaps: true }, letters: BUNDLED_LETTERS },
  { model: /multilingual-e5-small/, latin: { scale: 1.8, overlaps: false }, other: { scale: 1.7, overlaps: true } },
  { model: /all-minilm/i, latin: { scale: 1, overlaps: false }, other: { scale: 1, overlaps: false }, letters: LATIN_LETTERS },
];

/** For models that were not measured, and where no model serves. */
export const UNCALIBRATED: Calibration = { scale: 1, overlaps: false, reads: (text) => isRead(text, undefined) };

export function calibrationOf(embeddingVersion: string, query: string): Calibration {
  const found = MODELS.find(({ model }) => model.test(embeddingVersion));
  if (found === undefined) return UNCALIBRATED;
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  const latin = query.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return { ...(letters > 0 && (letters - latin) / letters >= 0.3 ? found.other : found.latin), reads: (text) => isRead(text, found.letters) };
}

/** A long text is judged by its beginning. */
const LOOKED_AT = 2_000;

function isRead(text: string, known: RegExp | undefined): boolean {
  const start = text.slice(0, LOOKED_AT);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return /\p{N}/u.test(start);
  return known === undefined || (start.match(known)?.length ?? 0) * 2 >= letters;
}
