import { describe, expect, it } from 'vitest';
import { devicesToTry } from '../../../src/runtime/devices.ts';

const GB = 1024 ** 3;

describe('where a downloaded model runs', () => {
  it('is the system\'s own device first while enough memory is free, and the processor always last', () => {
    expect(devicesToTry('auto', 'win32', 5 * GB, 4)).toEqual(['dml', 'cpu']);
    expect(devicesToTry('auto', 'darwin', 4 * GB, 4)).toEqual(['coreml', 'cpu']);
    expect(devicesToTry('auto', 'linux', 8 * GB, 4)).toEqual(['cpu']);
  });

  it('is the processor alone when little memory is free or the person says so', () => {
    expect(devicesToTry('auto', 'win32', 3.9 * GB, 4)).toEqual(['cpu']);
    expect(devicesToTry('cpu', 'darwin', 64 * GB, 4)).toEqual(['cpu']);
  });

  it('is the device that was named, whatever is free', () => {
    expect(devicesToTry('directml', 'win32', GB, 4)).toEqual(['dml', 'cpu']);
    expect(devicesToTry('cuda', 'linux', GB, 4)).toEqual(['cuda', 'cpu']);
  });
});
