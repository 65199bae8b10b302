/**
 * What models take, as data: some refuse a forced tool, some think before they answer and can be
 * told to do it briefly. Unknown models get the plain request that all of them take; nobody gets
 * sampling parameters.
 */
export interface ModelTraits {
  /** Beginning of the model's id. */
  readonly model: string;
  /** `tool_choice: tool` is accepted. */
  readonly forcesTool: boolean;
  /** `output_config.effort` is accepted. */
  readonly takesEffort: boolean;
}

export const DEFAULT_ANTHROPIC_MODEL = 'claude-haiku-5-5';

const TRAITS: readonly ModelTraits[] = [
  { model: 'claude-haiku-5', forcesTool: false, takesEffort: true },
  { model: 'claude-sonnet-5', forcesTool: false, takesEffort: true },
  { model: 'claude-opus-5', forcesTool: false, takesEffort: true },
  { model: 'claude-fable-5', forcesTool: false, takesEffort: true },
  { model: 'claude-haiku-4', forcesTool: true, takesEffort: false },
  { model: 'claude-sonnet-4', forcesTool: true, takesEffort: false },
  { model: 'claude-opus-4', forcesTool: true, takesEffort: false },
];

export const traitsOf = (model: string): ModelTraits => TRAITS.find((traits) => model.startsWith(traits.model)) ?? { model, forcesTool: false, takesEffort: false };
