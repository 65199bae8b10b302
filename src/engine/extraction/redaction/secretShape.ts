/**
 * What separates a secret from a word that looks like one: randomness, and the many ways in
 * which people write "put your key here". Used by rules that know a value only by its name.
 */

/** Shannon entropy in bits a character; 0 for an empty text. Random hex has about 3.7, base64 over 4.5, words under 3.3. */
export function entropyOf(text: string): number {
  if (text === '') return 0;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

const PLACEHOLDER =
  /^(?:[x*.•#_-]{3,}|<[^>]*>?|\[[^\]]*\]?|\$.*|%.*%?|\{\{.*|\{[A-Za-z_ ]*\}?|\{.*\(.*|@[A-Za-z_]+@|(?:null|none|nil|undefined|true|false|empty|unset|string|str|text|required|optional|secret|secrets|token|user(?:name)?|pass(?:word|wd)?|pwd|foo|bar|baz|test|demo|sample|n\/a)['"]?)$/i;
const PLACEHOLDER_PART =
  /x{4,}|\*{3,}|your[-_ ]?|change[-_ ]?(?:me|it|this)|replace[-_ ]?(?:me|with)|example|placeholder|redacted|dummy|fake[-_]|todo|insert[-_ ]?|my[-_](?:pass|secret|token|key)|to[-_]be[-_]|不要|你的|示例|\.{3}$|…$/i;

/** True for `${VAR}`, `<password>`, `YOUR_API_KEY`, `xxxx`, `changeme` and their like. */
export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value) || PLACEHOLDER_PART.test(value);

const CODE = /[(){}[\]]|=>|^(?:process|import|this|self|os|env|req|res|config|settings|options|ctx|props|vars?|secrets?|params)\.|^[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^[A-Za-z_]+::|^new\b|^await\b/;

/** True for an expression that computes the value instead of stating it. */
export const isCode = (value: string): boolean => CODE.test(value);

const PLAIN = /^(?:\d{1,6}|v?\d+(?:\.\d+)+\S*|\d{4}-\d{2}-\d{2}\S*|[\w.-]+\.(?:js|gif|png|jpe?g|svg|html?|css|ts|json|ya?ml|toml|pem|crt|cer|key|txt|md|env|ini|cfg|conf|lock|sh|py|go|rs|java)|\.{0,2}\/\S*|~\/\S*|[A-Z]:\\\S*|[\w.-]+:\d{2,5}|[a-z][a-z.-]*-\d+(?:\.\d+)+(?:[-.+]\w+)*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/** True for values that are no secret whatever their name: numbers, versions, dates, file names, host:port, UUIDs. */
export const isPlainValue = (value: string): boolean => PLAIN.test(value);

/** Long stretches of the alphabet or of counting ("abc...klmnopqr", "1234567"): typed by hand, for show. */
export function isSequence(value: string): boolean {
  let run = 1;
  const lower = value.toLowerCase();
  for (let i = 1; i < lower.length; i += 1) {
    run = lower.charCodeAt(i) === lower.charCodeAt(i - 1) + 1 ? run + 1 : 1;
    if (run >= LONGEST_RUN) return true;
  }
  return false;
}
/** Random text of a hundred characters has one this long once in a billion. */
const LONGEST_RUN = 8;

/** Letters and digits (or marks) together: what a chosen password has and a word has not. */
export const isMixed = (value: string): boolean => /[A-Za-z]/.test(value) && /\d|[!@#$%^&*+=?~]/.test(value);

/**
 * Names a piece of text without keeping it, so that a false alarm can be allowed in a settings file.
 * 53 bits, two multiplicative lanes; not for secrecy: what a person allows is, by their word, no secret.
 */
export function fingerprintOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(11, '0');
}
