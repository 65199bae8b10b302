/**
 * Tells zod, before any schema is made, not to compile parsers with `new Function`: the
 * webview's CSP forbids it and would report each try.
 */
import * as z from 'zod';

z.config({ jitless: true });
