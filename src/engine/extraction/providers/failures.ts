/**
 * Failures of model calls as codes: what a person has to cure (PROVIDER_REJECTED) and what time
 * cures (PROVIDER_UNAVAILABLE), the same for every provider.
 */
import { CairnError } from '../../../base/errors.ts';

/** 401, 403, 404, 400, 413, 422: asking again brings the same answer. 408, 429, 5xx and 529 pass. */
export function failureOfStatus(provider: string, status: number, detail: string): CairnError {
  const passes = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  const about = detail.replaceAll(/\s+/g, ' ').slice(0, 200);
  return passes
    ? new CairnError('PROVIDER_UNAVAILABLE', `${provider} answered ${status}${status === 429 ? ' (too many requests)' : status === 529 ? ' (overloaded)' : ''}; the batch is tried again later.`, { data: { provider, status } })
    : new CairnError('PROVIDER_REJECTED', `${provider} refused the request (${status}): ${about}. Check the key, the model's name and the quota.`, { data: { provider, status } });
}

export function failureOfCall(provider: string, error: unknown, signal: AbortSignal | undefined): CairnError {
  if (error instanceof CairnError) return error;
  if (signal?.aborted === true) return new CairnError('CANCELLED', 'Cancelled; the batch stays.');
  const status = typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  if (status !== undefined) return failureOfStatus(provider, status, error instanceof Error ? error.message : '');
  const isTimeout = error instanceof Error && /time(?:d ?)?out|abort/i.test(`${error.name} ${error.message}`);
  return new CairnError('PROVIDER_UNAVAILABLE', isTimeout ? `${provider} did not answer in time; the batch is tried again later.` : `${provider} could not be reached; the batch is tried again later.`, { cause: error, data: { provider } });
}

/** Aborts when the caller does, or when nothing arrived for `idleMs`. Call `beat` with every sign of life. */
export function createPatience(idleMs: number, outer: AbortSignal | undefined): { readonly signal: AbortSignal; beat(): void; end(): void } {
  const controller = new AbortController();
  const give = (): void => controller.abort(new Error('timed out'));
  let timer = setTimeout(give, idleMs);
  const stop = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) stop();
  outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    beat() {
      clearTimeout(timer);
      timer = setTimeout(give, idleMs);
    },
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', stop);
    },
  };
}
