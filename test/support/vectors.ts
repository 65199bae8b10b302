/**
 * Vectors as real texts give them: unit length, in clusters, varying in far fewer directions
 * than they have dimensions. Evenly random vectors would make every graph index look bad.
 */
import { createSeededRandom } from './seededRandom.ts';

export function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A maker of clustered vectors: `latent` directions, `clusters` topics. */
export function vectorMaker(options: { dimensions: number; seed: number; latent?: number; clusters?: number }): () => Float32Array {
  const random = createSeededRandom(options.seed);
  const latent = options.latent ?? 48;
  const basis = Array.from({ length: latent }, () => Float32Array.from({ length: options.dimensions }, () => gaussian(random)));
  const centres = Array.from({ length: options.clusters ?? 64 }, () => Float32Array.from({ length: latent }, () => gaussian(random)));
  return () => {
    const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
    const vector = new Float32Array(options.dimensions);
    for (let j = 0; j < latent; j += 1) {
      const weight = (centre[j] as number) + 0.6 * gaussian(random);
      const direction = basis[j] as Float32Array;
      for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] as number) + weight * (direction[i] as number);
    }
    return unit(vector);
  };
}
