/**
 * Limits the quick input checks while typing; the operation checks them again.
 */
export const MAX_TEXT_LENGTH = 8_000;
