/**
 * The look that all components share: the editor's font, colours only by its theme
 * tokens, focus rings as the editor draws them.
 */
import { css } from 'lit';

export const base = css`
  :host { font: var(--vscode-font-weight, normal) var(--vscode-font-size, 13px) var(--vscode-font-family, sans-serif); color: var(--vscode-foreground); line-height: 18px; }
  :host([hidden]), [hidden] { display: none !important; }
  *, *::before, *::after { box-sizing: border-box; }
  .codicon { font: normal normal normal 16px/1 codicon; display: inline-block; flex: none; text-align: center; width: 16px; height: 16px; -webkit-font-smoothing: antialiased; user-select: none; vertical-align: text-bottom; }
  .spin { animation: spin 1.5s steps(30) infinite; }
  @keyframes spin { to { transform: rotate(360deg); } }
  @media (prefers-reduced-motion: reduce) { .spin { animation: none; } * { transition: none !important; } }
  .quiet { color: var(--vscode-descriptionForeground); }
  .warn { color: var(--vscode-editorWarning-foreground, var(--vscode-foreground)); }
  .bad { color: var(--vscode-errorForeground); }
  .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  mark { background: var(--vscode-editor-findMatchHighlightBackground, transparent); color: inherit; outline: 1px solid var(--vscode-contrastActiveBorder, transparent); font-weight: 600; }
  a { color: var(--vscode-textLink-foreground); text-decoration: none; cursor: pointer; }
  a:hover { color: var(--vscode-textLink-activeForeground); text-decoration: underline; }
  button { font: inherit; }
  .tool { display: inline-flex; align-items: center; justify-content: center; width: 22px; height: 22px; padding: 0; border: 1px solid transparent; border-radius: 5px; background: transparent; color: var(--vscode-icon-foreground, inherit); cursor: pointer; flex: none; }
  .tool:hover { background: var(--vscode-toolbar-hoverBackground); outline: 1px dashed var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
  .tool[aria-pressed='true'] { color: var(--vscode-inputOption-activeForeground, inherit); background: var(--vscode-inputOption-activeBackground, transparent); border-color: var(--vscode-inputOption-activeBorder, transparent); }
  .plain { background: none; border: none; padding: 0; color: var(--vscode-textLink-foreground); cursor: pointer; text-align: left; }
  .plain:hover { text-decoration: underline; }
  :focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
  /* The editor gives its secondary buttons a border of their own; the elements know one for all. */
  vscode-button[secondary] { --vscode-button-border: var(--vscode-button-secondaryBorder, var(--vscode-contrastBorder, transparent)); }
  .input, .select, textarea { font: inherit; width: 100%; min-width: 0; color: var(--vscode-input-foreground); background: var(--vscode-input-background); border: 1px solid var(--vscode-input-border, var(--vscode-settings-textInputBorder, transparent)); border-radius: 2px; padding: 3px 6px; }
  .select { color: var(--vscode-settings-dropdownForeground, var(--vscode-dropdown-foreground)); background: var(--vscode-settings-dropdownBackground, var(--vscode-dropdown-background)); border-color: var(--vscode-settings-dropdownBorder, var(--vscode-dropdown-border)); height: 26px; }
  textarea { resize: none; field-sizing: content; min-height: 44px; line-height: 19px; }
  .input::placeholder, textarea::placeholder { color: var(--vscode-input-placeholderForeground); }
  .invalid { border-color: var(--vscode-inputValidation-errorBorder, var(--vscode-errorForeground)); }
  .message { padding: 4px 6px; border: 1px solid var(--vscode-inputValidation-errorBorder); background: var(--vscode-inputValidation-errorBackground); color: var(--vscode-inputValidation-errorForeground, var(--vscode-foreground)); }
  .blank { padding: 12px 20px; display: flex; flex-direction: column; gap: 10px; align-items: stretch; }
  .blank p { margin: 0; overflow-wrap: anywhere; }
  .blank vscode-button { width: 100%; max-width: 300px; }
  .scroll { overflow: auto; scrollbar-width: auto; }
  .scroll::-webkit-scrollbar { width: 10px; height: 10px; }
  .scroll::-webkit-scrollbar-thumb { background: var(--vscode-scrollbarSlider-background); }
  .scroll::-webkit-scrollbar-thumb:hover { background: var(--vscode-scrollbarSlider-hoverBackground); }
  .scroll::-webkit-scrollbar-thumb:active { background: var(--vscode-scrollbarSlider-activeBackground); }
`;

/** Colour of a kind's mark; the icon's form says the same. */
export const kindColours = css`
  .kind-rule, .kind-code_pattern { color: var(--vscode-charts-purple); }
  .kind-decision { color: var(--vscode-charts-blue); }
  .kind-preference, .kind-communication_pattern, .kind-identity { color: var(--vscode-charts-green); }
  .kind-technical_context, .kind-project_context { color: var(--vscode-charts-yellow); }
  .kind-fact, .kind-observation, .kind-subtle_signal, .kind-entity, .kind-relation, .kind-session_summary { color: var(--vscode-icon-foreground); }
`;
