/**
 * The question before an act that a person would not want by mistake: asked on a terminal,
 * answered by `--yes` in a script, and without either the act is refused.
 */
import { CairnError } from '../base/errors.ts';
import type { CliSession } from './session.ts';

/** Throws INPUT_INVALID where nobody can be asked, CANCELLED for any answer but yes. */
export async function confirmed(session: CliSession, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return;
  const answer = await session.io.ask(`${question} [y/N] `);
  if (answer === undefined) throw new CairnError('INPUT_INVALID', `${question} Say so with --yes.`, { data: { field: 'yes' } });
  if (!/^(y|yes|是)$/i.test(answer.trim())) throw new CairnError('CANCELLED', 'Nothing was changed.');
}
