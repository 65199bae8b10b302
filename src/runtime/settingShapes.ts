/**
 * Shapes of settings: which values one takes, as plain data. Written by hand and not with
 * the schema library of the operations, because every hook reads settings and loading
 * that library costs it as much as an empty Node (test/bench/RESULTS.md, Processes).
 */
export type SettingShape =
  | { readonly type: 'boolean' }
  | { readonly type: 'whole' | 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'text'; readonly minLength?: number }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'list' };

export const MAX_TEXT = 2_000;
export const MAX_LIST = 1_000;

export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

const good = (value: unknown): Checked => ({ ok: true, value });
const bad = (message: string): Checked => ({ ok: false, message });

/** Whether the value is one of the shape; messages say what would be. */
export function checkShape(shape: SettingShape, value: unknown): Checked {
  switch (shape.type) {
    case 'boolean': return typeof value === 'boolean' ? good(value) : bad('expected true or false');
    case 'whole':
    case 'number': {
      const fits = typeof value === 'number' && Number.isFinite(value) && value >= shape.min && value <= shape.max && (shape.type === 'number' || Number.isInteger(value));
      return fits ? good(value) : bad(`expected a ${shape.type === 'whole' ? 'whole ' : ''}number from ${shape.min} to ${shape.max}`);
    }
    case 'text': {
      if (typeof value !== 'string') return bad('expected text');
      if (value.length > MAX_TEXT) return bad(`expected at most ${MAX_TEXT} characters`);
      return value.length < (shape.minLength ?? 0) ? bad('expected text that is not empty') : good(value);
    }
    case 'choice': return typeof value === 'string' && shape.values.includes(value) ? good(value) : bad(`expected one of: ${shape.values.join(', ')}`);
    case 'list': {
      const fits = Array.isArray(value) && value.length <= MAX_LIST && value.every((entry) => typeof entry === 'string' && entry.length <= MAX_TEXT);
      return fits ? good(value) : bad('expected a list of texts');
    }
  }
}

export function shapeToJsonSchema(shape: SettingShape): Record<string, unknown> {
  switch (shape.type) {
    case 'boolean': return { type: 'boolean' };
    case 'whole': return { type: 'integer', minimum: shape.min, maximum: shape.max };
    case 'number': return { type: 'number', minimum: shape.min, maximum: shape.max };
    case 'text': return { type: 'string', maxLength: MAX_TEXT, ...(shape.minLength === undefined ? {} : { minLength: shape.minLength }) };
    case 'choice': return { type: 'string', enum: [...shape.values] };
    case 'list': return { type: 'array', items: { type: 'string', maxLength: MAX_TEXT }, maxItems: MAX_LIST };
  }
}
