/**
 * Path globs of scope `path:GLOB`, relative to the repository's root, with `/`. A pattern
 * without wildcards is a file, or a folder with all below it.
 */
import picomatch from 'picomatch';

const MAX_CACHED = 500;
const cache = new Map<string, (path: string) => boolean>();

const clean = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');

/** Never throws: a pattern that cannot be read matches itself only. */
export function matchesGlob(glob: string, path: string): boolean {
  let matches = cache.get(glob);
  if (matches === undefined) {
    const pattern = clean(glob);
    try {
      const whole = picomatch(pattern, { dot: true });
      const below = picomatch(`${pattern}/**`, { dot: true });
      matches = (candidate) => candidate === pattern || whole(candidate) || below(candidate);
    } catch {
      // An unreadable pattern (picomatch limits their length): equality is all that can be meant.
      matches = (candidate) => candidate === pattern;
    }
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(glob, matches);
  }
  return matches(clean(path));
}
