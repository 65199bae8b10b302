/**
 * The codicons this webview uses, as code points: a class per icon would need the whole
 * icon style sheet inside every shadow root. A test compares them with the package.
 */
import { html } from 'lit';
import type { TemplateResult } from 'lit';

export const CODE_POINTS = {
  'add': 0xea60, 'archive': 0xea98, 'arrow-left': 0xea9b, 'arrow-swap': 0xebcb, 'check': 0xeab2, 'check-all': 0xebb1, 'chevron-down': 0xeab4,
  'chevron-right': 0xeab6, 'close': 0xea76, 'circle-filled': 0xea71, 'circle-outline': 0xeabc, 'copy': 0xebcc, 'debug-pause': 0xead1, 'discard': 0xeae2,
  'edit': 0xea73, 'error': 0xea87, 'eye': 0xea70, 'filter': 0xeaf1, 'filter-filled': 0xebce, 'gear': 0xeaf8, 'git-merge': 0xeafe, 'go-to-file': 0xea94,
  'graph': 0xeb03, 'history': 0xea82, 'info': 0xea74, 'law': 0xeb12, 'link': 0xeb15, 'lightbulb': 0xea61, 'loading': 0xeb19, 'note': 0xeb26,
  'pass': 0xeba4, 'person': 0xea67, 'pin': 0xeb2b, 'pinned': 0xeba0, 'question': 0xeb32, 'quote': 0xeb33, 'references': 0xeb36, 'remove': 0xeb3b,
  'search': 0xea6d, 'settings': 0xeb52, 'symbol-class': 0xeb5b, 'symbol-method': 0xea8c, 'symbol-namespace': 0xea8b, 'tag': 0xea66, 'trash': 0xea81, 'warning': 0xea6c,
  'heart': 0xeb05, 'comment-discussion': 0xeac7, 'type-hierarchy': 0xebb9, 'list-tree': 0xeb86, 'cloud': 0xebaa, 'table': 0xebb7, 'export': 0xebac, 'server-environment': 0xeba3, 'project': 0xeb30,
} as const;

export type IconName = keyof typeof CODE_POINTS;

/** Decoration only: whatever it says must also be said in words. */
export const icon = (name: IconName, extra = ''): TemplateResult =>
  html`<span class="codicon ${extra}" aria-hidden="true">${String.fromCodePoint(CODE_POINTS[name])}</span>`;
