/**
 * Shell completion scripts, made from the command tree itself so that they cannot lag.
 */
import type { Command } from 'commander';
import { CairnError } from '../base/errors.ts';

/** Throws INPUT_INVALID for a shell we have no script for. */
export function completionScript(shell: string, program: Command): string {
  const commands = program.commands.map((command) => ({ name: command.name(), summary: command.summary(), flags: command.options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)) }));
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, flags }) => `    ${name}) COMPREPLY=($(compgen -W "${flags.join(' ')}" -- "$cur"));;`).join('\n');
  const bash = `_cairn() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$cur")); return; fi
  case "$command" in
${cases}
  esac
}
complete -o default -F _cairn cairn`;
  if (shell === 'bash') return bash;
  if (shell === 'zsh') return `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\nautoload -U +X bashcompinit && bashcompinit\n${bash}`;
  if (shell === 'fish') {
    const first = 'complete -c cairn -n __fish_use_subcommand -f';
    return commands.flatMap(({ name, summary, flags }) => [
      `${first} -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...flags.filter((flag) => flag.startsWith('--')).map((flag) => `complete -c cairn -n "__fish_seen_subcommand_from ${name}" -l ${flag.slice(2)}`),
    ]).join('\n');
  }
  throw new CairnError('INPUT_INVALID', `No completion for "${shell}"; use bash, zsh or fish.`, { data: { field: 'shell' } });
}
