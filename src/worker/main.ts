/**
 * Entry of the engine worker thread: store, index and model live here, so that the thread
 * of the editor or of the MCP server only sends messages.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { serializeError } from '../base/errors.ts';
import { assertRuntime, openRuntime } from '../runtime/runtime.ts';
import { Composition } from './composition.ts';
import { hostModelsOver } from './hostModel.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './messages.ts';
import { createAsk, hostPartsOver, runWorkerHost } from './workerHost.ts';
import { runtimeParts } from './runtimeParts.ts';

async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('The engine worker is started as a worker thread.');
  const settings = workerData as WorkerSettings;
  const early: ToWorker[] = [];
  const keep = (message: ToWorker): void => void early.push(message);
  port.on('message', keep);
  try {
    await assertRuntime();
    const { ask, receive } = createAsk(port);
    const runtime = await openRuntime({ env: settings.env, role: 'host', processName: settings.processName, ...(settings.keys === undefined ? {} : { keys: settings.keys }), ...runtimeParts(hostModelsOver(ask, settings.hostParts)) });
    const composition = new Composition(runtime, hostPartsOver(ask, settings.hostParts), settings.claudeFolder);
    port.off('message', keep);
    const host = runWorkerHost(port, composition, receive);
    port.postMessage({ type: 'ready' } satisfies FromWorker);
    for (const message of early) port.emit('message', message);
    await host.closed;
  } catch (error) {
    port.postMessage({ type: 'failedToStart', error: serializeError(error) } satisfies FromWorker);
    port.close();
  }
}

await main();
