/**
 * Registration with Claude Code as the editor needs it: register, take back, and know
 * whether it is there. What is written where is registration/'s business.
 */
import * as vscode from 'vscode';
import { CairnError } from '../base/errors.ts';
import type { HealthCheck } from '../operations/index.ts';
import type { HostAnswers } from '../worker/index.ts';
import { speaksEnglish } from './errorWords.ts';
import type { Log } from './log.ts';
import type { RunningProgram } from './programInstall.ts';

export interface ClaudeRegistration {
  /** Idempotent. Throws CairnError with the cure. Resolves with one sentence: what was done. */
  register(): Promise<string>;
  unregister(): Promise<string>;
  /** Puts back what a running client stripped of what the person registered. True when it had lost Cairn altogether. */
  restore(): Promise<boolean>;
  inspect(): Promise<{ readonly registered: boolean; readonly detail: string }>;
  /** What the engine's doctor asks of this host. */
  readonly hostParts: Pick<Required<HostAnswers>, 'fixHealth'>;
  healthChecks(): Promise<readonly HealthCheck[]>;
}

export interface RegistrationFacts {
  readonly program: () => Promise<RunningProgram>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly osHome: string;
  readonly version: string;
  readonly platform: string;
  readonly now: () => number;
}

type Module = typeof import('../registration/index.ts');
type Options = import('../registration/index.ts').RegistrationOptions;

/** At activation and when a folder is trusted; in an untrusted one nothing is registered. */
export async function keepRegistered(registration: ClaudeRegistration, log: Log): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  try {
    if (!(await registration.restore())) return;
    const takeOut = vscode.l10n.t('Remove from Claude Code');
    // Whoever took it out by hand is told the way that lasts.
    if (await vscode.window.showInformationMessage(vscode.l10n.t('Claude Code had lost Cairn, so it was registered again.'), takeOut) === takeOut) await vscode.commands.executeCommand('cairn.unregister');
  } catch (error) {
    // Doctor names it with its cure; nobody asked for anything just now.
    log.failed('registration', error);
  }
}

const STATES: Readonly<Record<import('../registration/index.ts').RegistrationState['state'], () => string>> = {
  registered: () => '',
  absent: () => vscode.l10n.t('Claude Code does not know Cairn.'),
  disabled: () => vscode.l10n.t('It is switched off in Claude Code. Switch it on there with /plugins.'),
  incomplete: () => vscode.l10n.t('Parts are missing or point elsewhere. Register it again.'),
};

export function openClaudeRegistration(facts: RegistrationFacts): ClaudeRegistration {
  /** Loaded on first use: most windows never register anything. */
  const ready = async (): Promise<{ module: Module; options: Options }> => {
    const [module, { programCommand }, { homePaths }, { home, inHome }] = await Promise.all([import('../registration/index.ts'), import('../runtime/programHome.ts'), import('../runtime/paths.ts'), facts.program()]);
    if (!inHome) throw new CairnError('REGISTRATION_FAILED', `The program could not be copied to ${home}, so nothing was registered: Claude Code would lose it at the next update of this extension. Make that folder writable, or set CAIRN_HOME.`);
    const paths = homePaths(home, facts.env);
    return { module, options: { version: facts.version, command: (args) => programCommand(paths, args, facts.osHome, facts.platform), env: facts.env, osHome: facts.osHome, cairnHome: home, now: facts.now } };
  };
  const told = (what: string, notes: readonly string[], changed: readonly string[]): string => [what, ...(speaksEnglish() || notes.length === 0 ? notes : [vscode.l10n.t('“Cairn: Doctor” says why, and what to do.')]), changed.length === 0 ? '' : changed.join(', ')].filter((part) => part !== '').join(' ');
  return {
    async register() {
      const { module, options } = await ready();
      const report = module.register(options);
      return told(vscode.l10n.t('Registered with Claude Code. New sessions know Cairn.'), report.notes, []);
    },
    async unregister() {
      const { module, options } = await ready();
      const report = module.unregister(options);
      return told(vscode.l10n.t('Removed from Claude Code; its files are as they were.'), report.notes, report.changedFiles);
    },
    async restore() {
      const { module, options } = await ready();
      return module.restoreRegistration(options)?.state === 'absent';
    },
    async inspect() {
      const { module, options } = await ready();
      const { detail, problems, state } = module.inspect(options);
      return { registered: state === 'registered', detail: speaksEnglish() ? [detail, ...problems].filter((part) => part !== '').join(' ') : STATES[state]() };
    },
    async healthChecks() {
      const { module, options } = await ready();
      return module.registrationHealth(options);
    },
    hostParts: {
      fixHealth: async (ids) => {
        const { module, options } = await ready();
        return module.fixRegistration(options, Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []);
      },
    },
  };
}
