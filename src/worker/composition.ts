/**
 * Composition: runtime and operations put together, the same for every surface. Finds the
 * repository a call is about, checks its input and consent, hands the operation its
 * context, and watches the open stores for changes.
 */
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import type { Actor, Engine } from '../engine/index.ts';
import { type Operation, OPERATIONS, type Progress } from '../operations/index.ts';
import type { EngineHold } from '../runtime/engineCache.ts';
import type { LocatedRepository } from '../runtime/repositories.ts';
import { relativeTo, type Runtime } from '../runtime/runtime.ts';
import type { StoreChange, Target } from './engineClient.ts';
import { createHostServices, type HostParts } from './hostServices.ts';

export interface CompositionCall {
  readonly target: Target;
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Surfaces that a person moves; what they ask for is an explicit act and needs no earlier yes. */
const PERSONAL_SURFACES: ReadonlySet<Actor['surface']> = new Set<Actor['surface']>(['cli', 'command', 'selection', 'extension', 'import']);

/** So many texts are embedded in passing. */
const FEW_PENDING = 64;

interface Place {
  readonly repository?: { readonly id: string; readonly name: string; readonly root?: string };
  readonly located?: LocatedRepository;
}

export class Composition {
  readonly runtime: Runtime;
  readonly #parts: HostParts;
  readonly #claudeFolder: string;
  readonly #epochs = new Map<string, number>();
  readonly #caughtUp = new WeakSet<Engine>();
  readonly #toldProblems = new Set<string>();
  #hasWritten = false;

  /** `claudeFolder` is Claude Code's own folder (`~/.claude`). */
  constructor(runtime: Runtime, parts: HostParts = {}, claudeFolder?: string) {
    this.runtime = runtime;
    this.#parts = parts;
    this.#claudeFolder = claudeFolder ?? runtime.env.CLAUDE_CONFIG_DIR ?? path.join(runtime.osHome, '.claude');
  }

  /** Throws OPERATION_UNKNOWN, INPUT_INVALID, CONSENT_REQUIRED, CANCELLED, and what the operation throws. */
  async call(name: string, rawInput: unknown, call: CompositionCall): Promise<unknown> {
    const operation = OPERATIONS.get(name);
    if (operation === undefined) throw new CairnError('OPERATION_UNKNOWN', `There is no operation "${name}".`, { data: { operation: name } });
    const input = parseInput(operation, rawInput);
    const isPersonal = PERSONAL_SURFACES.has(call.actor.surface);
    const { place, failure } = await this.#findPlace(operation, async () => this.#locate(call.target, operation, isPersonal, call.actor));
    this.#tellProblems(place.repository?.id);
    this.#checkConsent(operation, place, isPersonal);
    throwIfCancelled(call.signal);

    const holds: EngineHold[] = [];
    try {
      const { repository, located } = place;
      const { hold, storeFailure = failure } = await this.#hold(operation, repository);
      holds.push(hold);
      await this.#noteEpochs(hold.engine, repository?.id);
      const activePath = toActivePath(call.target, located);
      const facts = located?.facts;
      if (operation.name === 'recall') await this.#catchUp(hold.engine, call.signal);
      const output = await operation.run({
        engine: hold.engine,
        ...(storeFailure === undefined ? {} : { storeFailure }),
        ...(repository === undefined ? {} : { repository }),
        view: {
          ...(facts?.branch === undefined ? {} : { branch: facts.branch }),
          ...(facts?.head === undefined ? {} : { commit: facts.head }),
          ...(facts?.defaultBranch === undefined ? {} : { defaultBranch: facts.defaultBranch }),
          ...(activePath === undefined ? {} : { activePath }),
          isolateBranches: this.runtime.settings.get('recall.isolateBranches', repository?.id),
        },
        actor: { clientId: this.runtime.clientId, ...(facts?.author === undefined ? {} : { author: facts.author }), ...call.actor },
        clock: this.runtime.clock,
        signal: call.signal,
        host: createHostServices(this.runtime, {
          ...(repository === undefined ? {} : { repository }),
          ...(call.target.cwd === undefined ? {} : { cwd: call.target.cwd }),
          surface: call.actor.surface,
          ...(call.actor.sessionId === undefined ? {} : { sessionId: call.actor.sessionId }),
          register: () => this.#register(call.target),
        }, holds, this.#parts, this.#claudeFolder),
        progress: call.onProgress,
      }, input);
      if (operation.effect === 'write') await this.#embedWritten(hold.engine, call);
      return output;
    } finally {
      for (const hold of holds) hold.release();
    }
  }

  /** What a caller saw first is what changes are counted from: a write between an engine's opening and the first look must not be taken for the beginning. */
  async #noteEpochs(engine: EngineHold['engine'], repositoryId: string | undefined): Promise<void> {
    if (this.#epochs.has(repositoryId ?? 'user')) return;
    for (const { role, epoch } of await readEpochs(engine)) {
      const id = role === 'user' ? 'user' : (repositoryId ?? 'user');
      if (!this.#epochs.has(id)) this.#epochs.set(id, epoch);
    }
  }

  /** Stores that changed since the last look, by whomever. The first look only takes note. */
  async readChanges(): Promise<StoreChange[]> {
    const changes: StoreChange[] = [];
    for (const { repositoryId, engine } of await this.runtime.openEngines()) {
      for (const { role, epoch } of await readEpochs(engine)) {
        const id = role === 'user' ? 'user' : (repositoryId ?? 'user');
        const known = this.#epochs.get(id);
        if (known === epoch) continue;
        this.#epochs.set(id, epoch);
        if (known !== undefined) changes.push({ repositoryId: id, epoch });
      }
    }
    return changes;
  }

  /** In a process that lives on: what other processes stored without vectors gets them. */
  async embedPending(signal: AbortSignal): Promise<void> {
    for (const { engine } of await this.runtime.openEngines()) {
      if (signal.aborted) return;
      await this.#embedQuietly(engine, signal);
    }
  }

  async close(): Promise<void> {
    // A process that lives for one command has nobody else who would do it.
    if (this.#hasWritten && this.runtime.role === 'command') await this.embedPending(new AbortController().signal);
    await this.runtime.close();
  }

  /** A command's long work (an import) is embedded before it is called done; a single memory after its answer, at closing. */
  async #embedWritten(engine: Engine, call: CompositionCall): Promise<void> {
    if (this.runtime.role !== 'command') return;
    this.#hasWritten = true;
    const waiting = await countPending(engine);
    if (waiting <= FEW_PENDING) return;
    const total = waiting;
    await this.#embedQuietly(engine, call.signal, ({ done }) => call.onProgress({ done, total, message: 'giving vectors to what is new' }));
  }

  /** What a hook or an interrupted command left without a vector is caught up before a command searches. */
  async #catchUp(engine: Engine, signal: AbortSignal): Promise<void> {
    if (this.runtime.role !== 'command' || this.#caughtUp.has(engine)) return;
    this.#caughtUp.add(engine);
    const waiting = await countPending(engine);
    if (waiting > 0 && waiting <= FEW_PENDING) await this.#embedQuietly(engine, signal);
  }

  /** Without a vector a memory is found by its words: no reason to fail. */
  async #embedQuietly(engine: Engine, signal: AbortSignal, onProgress?: (progress: { done: number }) => void): Promise<void> {
    try {
      if ((await countPending(engine)) > 0) await engine.embedPending(signal, onProgress);
    } catch (error) {
      this.runtime.log.write('warning', 'embedding failed', { error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** The engine of the place; for what must run to cure a store, the user's alone where the repository's does not open. */
  async #hold(operation: Operation, repository: Place['repository']): Promise<{ hold: EngineHold; storeFailure?: CairnError }> {
    try {
      return { hold: await this.runtime.holdEngine({ ...(repository === undefined ? {} : { repository: { id: repository.id, name: repository.name } }), ...(repository?.root === undefined ? {} : { root: repository.root }) }) };
    } catch (error) {
      if (repository === undefined || operation.runsWithoutStore !== true || !isStoreFailure(error)) throw error;
      return { hold: await this.runtime.holdEngine({}), storeFailure: error };
    }
  }

  /** What cures a registry that does not open must run without it. */
  async #findPlace(operation: Operation, locate: () => Promise<Place>): Promise<{ place: Place; failure?: CairnError }> {
    try {
      return { place: await locate() };
    } catch (error) {
      if (operation.runsWithoutStore !== true || !isStoreFailure(error)) throw error;
      return { place: {}, failure: error };
    }
  }

  async #locate(target: Target, operation: Operation, isPersonal: boolean, actor: Actor): Promise<Place> {
    if (target.userOnly === true) return {};
    const project = target.project ?? (target.cwd === undefined ? this.runtime.env.CAIRN_PROJECT : undefined);
    if (project !== undefined && project !== '') {
      const { repository, located } = await this.runtime.repositories.find(project, target.cwd);
      const here = located ?? (await this.#locatedHere(target, repository.id));
      const root = here?.facts.root;
      return { repository: { id: repository.id, name: repository.name, ...(root === undefined ? {} : { root }) }, ...(here === undefined ? {} : { located: here }) };
    }
    if (target.cwd === undefined) return {};
    // Reading from an automatic surface leaves no trace of a repository that nobody said yes to.
    const register = actor.surface === 'cli' ? operation.effect !== 'read' || 'git' : (operation.effect !== 'read' && (isPersonal || this.runtime.isEnabled(undefined)));
    const located = await this.#locateCwd(target.cwd, register);
    if (located.identity === undefined) return { located };
    return { located, repository: { ...located.identity, root: located.facts.root } };
  }

  /** A home that cannot be written still answers: from the user's store alone where the folder is not known. */
  async #locateCwd(cwd: string, register: boolean | 'git'): Promise<LocatedRepository> {
    try {
      return await this.runtime.repositoryFor(cwd, { register });
    } catch (error) {
      if (register === false || !(error instanceof CairnError) || error.code !== 'STORE_READ_ONLY') throw error;
      return this.runtime.repositoryFor(cwd, { register: false });
    }
  }

  /** Named by id or name while standing in it: then its files can be looked at as well. */
  async #locatedHere(target: Target, id: string): Promise<LocatedRepository | undefined> {
    if (target.cwd === undefined) return undefined;
    const located = await this.runtime.repositoryFor(target.cwd);
    return located.identity?.id === id ? located : undefined;
  }

  async #register(target: Target): Promise<{ id: string; name: string } | undefined> {
    return target.cwd === undefined || target.userOnly === true ? undefined : (await this.runtime.repositoryFor(target.cwd, { register: true })).identity;
  }

  /** What a file or variable says and could not be obeyed, once: whoever set it believes that it is. */
  #tellProblems(repositoryId: string | undefined): void {
    for (const { message } of this.runtime.settings.problems(repositoryId)) {
      if (this.#toldProblems.has(message)) continue;
      this.#toldProblems.add(message);
      if (this.#parts.onSettingProblem !== undefined) this.#parts.onSettingProblem(message);
      else this.runtime.log.write('warning', `setting ignored: ${message}`);
    }
  }

  #checkConsent(operation: Operation, { repository, located }: Place, isPersonal: boolean): void {
    const isNeeded = operation.needsConsent || (!isPersonal && operation.effect !== 'read');
    // The user's own store is nobody's repository.
    if (!isNeeded || (repository === undefined && located === undefined)) return;
    if (!this.runtime.isEnabled(repository?.id)) {
      throw new CairnError('CONSENT_REQUIRED', `Cairn is not switched on for ${repository?.name ?? located?.facts.root ?? 'this folder'}. Run \`cairn init\` there, or answer yes in the editor.`, { data: { repository: repository?.id } });
    }
  }
}

const isStoreFailure = (error: unknown): error is CairnError => error instanceof CairnError && /^(STORE|SCHEMA)_/.test(error.code);

async function readEpochs(engine: { epochs(): Promise<readonly { role: 'repository' | 'user'; epoch: number }[]> }): Promise<readonly { role: 'repository' | 'user'; epoch: number }[]> {
  try {
    return await engine.epochs();
  } catch {
    return []; // it was closed between listing and asking
  }
}

/** Pieces of text without a vector, in stores that can be written. */
async function countPending(engine: Engine): Promise<number> {
  return (await engine.info()).reduce((sum, { info }) => sum + (info.readOnly ? 0 : info.chunksWithoutVector), 0);
}

function parseInput(operation: Operation, rawInput: unknown): unknown {
  const parsed = operation.input.safeParse(rawInput ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  const said = inWords(issue?.message ?? 'the input has the wrong shape');
  throw new CairnError('INPUT_INVALID', field === '' ? said : `"${field}": ${said}`, { data: { operation: operation.name, field } });
}

/** What the schema library says, as a person would. */
const inWords = (message: string): string => message
  .replace(/^Invalid option: expected one of (.+)$/, (_, options: string) => `expected one of: ${options.replaceAll('"', '').replaceAll('|', ', ')}`)
  .replace(/^Too (?:big|small): expected \w+ to (?:be|have) ([<>])=(\S+)(?: (character|item)s)?$/, (_, sign: string, count: string, unit?: string) => `expected at ${sign === '<' ? 'most' : 'least'} ${count}${unit === undefined ? '' : ` ${unit}${count === '1' ? '' : 's'}`}`)
  .replace(/^Invalid input: expected "(.+)"$/, 'expected $1')
  .replace(/^Invalid input: expected (\w+), received (\w+)$/, (_, expected: string, received: string) => `expected ${typeInWords(expected)}, not ${typeInWords(received)}`);

const TYPES_IN_WORDS: Readonly<Record<string, string>> = { string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', null: 'null', undefined: 'nothing' };
const typeInWords = (type: string): string => TYPES_IN_WORDS[type] ?? type;

function toActivePath(target: Target, located: LocatedRepository | undefined): string | undefined {
  const { activePath } = target;
  if (activePath === undefined || located === undefined) return activePath;
  return path.isAbsolute(activePath) ? relativeTo(located.facts.root, activePath) : activePath.replaceAll('\\', '/');
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new CairnError('CANCELLED', 'The caller cancelled.');
}
