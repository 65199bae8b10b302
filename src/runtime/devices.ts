/**
 * Where a downloaded model runs [O6]: the devices to try, in order. The processor is always the
 * last one, so a device that does not load costs a try and a line in the log, never the search.
 *
 * The bundled models are not asked: for them a graphics device takes longer to start than the work takes.
 */
export type DeviceSetting = 'auto' | 'cpu' | 'cuda' | 'directml' | 'coreml';

/** Names of the inference runtime's execution providers. */
export type Device = 'cpu' | 'cuda' | 'dml' | 'coreml';

/** What the runtime carries for the system. CUDA's libraries are a download of their own: taken only when named. */
const NATIVE: Partial<Record<NodeJS.Platform, Device>> = { win32: 'dml', darwin: 'coreml' };

/** `auto` takes the system's own device while `freeBytes` of memory are at least `leastFreeGb`; a named device is tried whatever is free. */
export function devicesToTry(setting: DeviceSetting, platform: NodeJS.Platform, freeBytes: number, leastFreeGb: number): readonly Device[] {
  const wanted = setting === 'directml' ? 'dml' : setting === 'auto' ? (freeBytes >= leastFreeGb * 1024 ** 3 ? NATIVE[platform] : undefined) : setting;
  return wanted === undefined || wanted === 'cpu' ? ['cpu'] : [wanted, 'cpu'];
}
