/**
 * The envelope of every message between the editor and a webview. A request carries an
 * id and gets exactly one response; everything the host says unasked is a whole
 * snapshot or a one-off event, never a delta, so a webview that slept through ten of
 * them is right after the eleventh.
 */
import './jitless.ts';
import * as z from 'zod';

export const wireError = z.object({
  code: z.string(),
  message: z.string(),
});
export type WireError = z.infer<typeof wireError>;

/** From the webview. `params` is checked by the method's own schema (methods.ts). */
export const fromWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('request'), id: z.number().int().nonnegative(), method: z.string(), params: z.unknown() }),
  z.object({ type: z.literal('cancel'), id: z.number().int().nonnegative() }),
]);
export type FromWebview = z.infer<typeof fromWebview>;

export const responseMessage = z.union([
  z.object({ type: z.literal('response'), id: z.number(), ok: z.literal(true), result: z.unknown() }),
  z.object({ type: z.literal('response'), id: z.number(), ok: z.literal(false), error: wireError }),
]);
export type ResponseMessage = z.infer<typeof responseMessage>;
