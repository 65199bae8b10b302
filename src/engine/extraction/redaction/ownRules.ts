/**
 * Rules of our own, for what a published pattern cannot see: whole private keys, credentials in
 * URLs and headers, passwords known by their name, Kubernetes secrets, keys with dots.
 *
 * Every rule is linear in the length of the text: quantifiers are bounded, or the scan moves forward only.
 */
import { groups, SAID_SECRETS, type OwnRule, type SecretSpan } from './saidSecrets.ts';
import { entropyOf, isCode, isMixed, isPlaceholder, isPlainValue, isSequence } from './secretShape.ts';

/** A key's body is at least this long; shorter ones are mentions. */
const SHORTEST_BODY = 64;
const LONGEST_KEY = 20_000;
const KEY_BEGIN = /-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----/g;
const BODY = /[A-Za-z0-9+/=\s\\]/;

/** BEGIN to END; where one of them is missing (cut output), the run of body characters beside the other. */
function findPrivateKeys(text: string): SecretSpan[] {
  const kind = 'private-key';
  const spans: SecretSpan[] = [];
  const begins = [...text.matchAll(KEY_BEGIN)].map((match) => ({ at: match.index, bodyAt: match.index + match[0].length }));
  const ends = [...text.matchAll(KEY_END)].map((match) => ({ at: match.index, stop: match.index + match[0].length }));
  let next = 0;
  let covered = 0;
  for (const [i, { at, bodyAt }] of begins.entries()) {
    while (next < ends.length && (ends[next]?.at ?? 0) < bodyAt) next += 1;
    const end = ends[next];
    const limit = Math.min(begins[i + 1]?.at ?? text.length, bodyAt + LONGEST_KEY);
    let stop = bodyAt;
    if (end !== undefined && end.at <= limit) stop = end.stop;
    else while (stop < limit && BODY.test(text[stop] ?? '')) stop += 1;
    if (text.slice(bodyAt, stop).replaceAll(/\s|\\[nr]/g, '').length < SHORTEST_BODY) continue;
    spans.push({ start: at, end: stop, kind });
  }
  for (const end of ends) {
    if (!spans.some((span) => end.at >= span.start && end.at < span.end)) {
      let start = end.at;
      const limit = Math.max(covered, end.at - LONGEST_KEY);
      while (start > limit && BODY.test(text[start - 1] ?? '')) start -= 1;
      // Words before the body are no body: begin at the first long base64 run.
      const run = /[A-Za-z0-9+/=]{32}/.exec(text.slice(start, end.at));
      if (run !== null) spans.push({ start: start + run.index, end: end.stop, kind });
    }
    covered = end.stop;
  }
  for (const putty of text.matchAll(/Private-Lines: \d{1,3}\r?\n(?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,200}/g)) spans.push({ start: putty.index, end: putty.index + putty[0].length, kind });
  return spans;
}

const URL_PASSWORD = /\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}:\/\/[^\s:@/'"<>`]{0,100}:([^\s@/'"<>`]{1,200})@/dg;
const URL_TOKEN = /\bhttps?:\/\/([A-Za-z0-9_.~-]{20,200})@/dg;
const URL_QUERY = /[?&](?:api[-_]?key|access[-_]?token|auth[-_]?token|token|key|secret|password|sig|signature|client[-_]?secret)=([A-Za-z0-9%_.~+/=-]{12,300})/dgi;

const HEADER = /\bAuthorization['"]{0,2}[ \t]{0,3}[:=,][ \t]{0,3}['"]{0,2}(?:Basic|Bearer|Token|ApiKey|Api-Token|Digest)[ \t]{1,3}([\w=~@.+/-]{8,4000})/dgi;
const BARE_BEARER = /\b[Bb]earer[ \t]{1,3}([\w=~@.+/-]{16,4000})/dg;
const KEY_HEADER = /(?<![\w-])(?:x-(?:[a-z]{1,20}-){0,2}(?:api-?)?|api-)(?:key|token)['"]?:[ \t]{0,5}['"]?([\w=~@.+/-]{16,400})/dgi;
const CURL_USER = /(?:^|[ \t\n\r])(?:-u|--user)(?:=|[ \t]{0,5})(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|((?:"[^"\n]{3,100}"|'[^'\n]{3,100}'|[\w$@.-]{1,100}):(?:"[^"\n]{3,100}"|'[^'\n]{3,100}'|[\w${}@.-]{1,100})))(?=\s|$)/dg;

function isUserAndPassword(value: string): boolean {
  const colon = value.indexOf(':');
  if (colon < 0) return false;
  const user = value.slice(0, colon).replaceAll(/["']/g, '');
  const password = value.slice(colon + 1).replaceAll(/["']/g, '');
  if (password === '') return user.length >= 8 && entropyOf(user) >= 3 && !isPlaceholder(user);
  return password.length >= 3 && !isPlaceholder(password) && !/^[xyz]{3}$/.test(password) && !/^\$|\$[({]|\{\{/.test(password) && !/^(?:pass|test|token)/i.test(password) && entropyOf(value) >= 2;
}

/** Only inside a curl command: from the word to the next one, six lines at most. */
function findCurlUsers(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const starts = [...text.matchAll(/\bcurl\b/g)].map((match) => match.index);
  for (const [i, start] of starts.entries()) {
    const command = text.slice(start, Math.min(starts[i + 1] ?? text.length, start + 2_000)).split('\n').slice(0, 6).join('\n');
    for (const span of groups(command, CURL_USER, 'curl-auth-user', isUserAndPassword)) spans.push({ ...span, start: span.start + start, end: span.end + start });
  }
  return spans;
}

/** Names that say "secret" and end there: PASSWORD_FILE, TOKEN_URL, KEY_ID are none. */
const SECRET_NAME = /(?:pass(?:word|wd|phrase|code)?|pwd|psk|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|encryption[-_.]?key|signing[-_.]?key|account[-_.]?key|auth[-_.]?key|credentials?|密码|口令|密钥|令牌)/i;
const ASSIGNMENT = /(?<![\w.-])['"]?([A-Za-z_][\w.-]{0,80})['"]?[ \t]{0,3}(?::=|=|:)[ \t]{0,3}(?:"([^"\n]{4,300})"|'([^'\n]{4,300})'|([^\s"'`,;]{6,300}))/dg;
const ENV_LINE = /^[ \t]{0,8}(?:export[ \t]{1,3})?([A-Z][A-Z0-9_]{2,80})=(?:"([^"\n]{4,400})"|'([^'\n]{4,400})'|([^\s"'#]{4,400}))/dgm;
const NAME_IS_SECRET = new RegExp(`${SECRET_NAME.source}s?$`, 'i');
const ENV_NAME_IS_SECRET = /(?:^|_)(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET(?:_KEY)?|TOKEN|KEY|APIKEY|CREDENTIALS?|DSN)$/;
const NAME_IS_NO_SECRET = /(?:public|pub|primary|foreign|sort|partition|hash|cache|csrf|xsrf|bucket|index|object|translation|i18n|shortcut)[-_.]?(?:key|token)$|^(?:key|token|pass)$/i;

function findAssignments(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const take = (match: RegExpExecArray, kind: string, accept: (value: string, isQuoted: boolean) => boolean): void => {
    for (const group of [2, 3, 4]) {
      const at = match.indices?.[group];
      const value = match[group];
      if (at === undefined || value === undefined || isPlaceholder(value) || isPlainValue(value) || isCode(value)) continue;
      if (accept(value, group < 4)) spans.push({ start: at[0], end: at[1], kind });
    }
  };
  for (const match of text.matchAll(ENV_LINE)) {
    const name = match[1] ?? '';
    if (ENV_NAME_IS_SECRET.test(name) && !NAME_IS_NO_SECRET.test(name)) take(match, 'env-secret', (value) => (isMixed(value) || value.length >= 16) && entropyOf(value) >= 2.5);
  }
  for (const match of text.matchAll(ASSIGNMENT)) {
    const name = match[1] ?? '';
    if (!NAME_IS_SECRET.test(name) || NAME_IS_NO_SECRET.test(name)) continue;
    const isPassword = /pass|pwd|psk/i.test(name);
    take(match, isPassword ? 'password' : 'secret-value', (value, isQuoted) => {
      if (/secrets$/i.test(name) && !isQuoted) return false;
      if (/\s/.test(value) && !isPassword) return false;
      if (isPassword) return isMixed(value) && !/\s.*\s/.test(value) && (isQuoted || entropyOf(value) >= 2.5);
      return isMixed(value) && value.length >= 20 && entropyOf(value) >= 3.3 && !/^[\w-]+(?:\.[\w-]+)*\/[\w./-]+$/.test(value);
    });
  }
  return spans;
}

const DOTTED_KEY = /(?<![\w-])((?:sk|pk|rk|ak|ek|api|key|tok|pat|secret|live|prod)[-_][A-Za-z0-9_.-]{20,300})/dg;

/** `sk-sp-XXXX.YYYY`: a known beginning, and at least one long run that is no word. */
function isPrefixedKey(value: string): boolean {
  if (isPlaceholder(value) || isPlainValue(value) || (isSequence(value) && !/^sk-ant-api\d\d-[\w-]{80,}AA$/.test(value))) return false;
  const runs = value.split(/[-_.]/);
  return runs.some((run) => run.length >= 16 && entropyOf(run) >= 3.2 && !/^[a-z]+[A-Z][a-z]+(?:[A-Z][a-z]+)*$/.test(run)) && entropyOf(value) >= 3.5;
}

/** Values below `data:` and `stringData:` of a Kubernetes Secret. */
function findKubernetesSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let documentAt = 0;
  for (const document of text.split(/(?<=\n)---[ \t]*(?=\n)/)) {
    if (/\bkind:[ \t]*["']?secret\b/i.test(document)) {
      let at = 0;
      let indent = -1;
      for (const line of document.split('\n')) {
        const depth = line.search(/\S/);
        if (/^\s*(?:data|stringData):[ \t]*\r?$/.test(line)) indent = depth;
        else if (indent >= 0 && depth >= 0 && depth <= indent) indent = -1;
        else if (indent >= 0) {
          const value = /^\s+(?:[\w.-]+:)?[ \t]*["']?([^\s"'{|>][^\s"']{5,})["']?[ \t]*\r?$/d.exec(line);
          const span = value?.indices?.[1];
          if (span !== undefined && !isPlaceholder(value?.[1] ?? '')) spans.push({ start: documentAt + at + span[0], end: documentAt + at + span[1], kind: 'kubernetes-secret' });
        }
        at += line.length + 1;
      }
    }
    documentAt += document.length + (/^---[ \t]*/.exec(text.slice(documentAt + document.length))?.[0].length ?? 0);
  }
  return spans;
}

const isRandom = (value: string, bits: number): boolean => !isPlaceholder(value) && !isCode(value) && entropyOf(value) >= bits;

export const OWN_RULES: readonly OwnRule[] = [
  { id: 'private-key', keywords: ['private key', 'private-lines'], find: findPrivateKeys },
  {
    id: 'url-password',
    keywords: ['://'],
    find: (text) => groups(text, URL_PASSWORD, 'url-password', (value) => !isPlaceholder(value) && !/^\d{1,5}$/.test(value)),
  },
  { id: 'url-token', keywords: ['://'], find: (text) => groups(text, URL_TOKEN, 'url-token', (value) => isRandom(value, 3.3) && /\d/.test(value)) },
  { id: 'url-query', keywords: ['?', '&'], find: (text) => groups(text, URL_QUERY, 'url-query-secret', (value) => isRandom(value, 3.2) && /\d/.test(value) && /[A-Za-z]/.test(value)) },
  { id: 'auth-header', keywords: ['authorization'], find: (text) => groups(text, HEADER, 'auth-header', (value) => isRandom(value, 2.75)) },
  { id: 'bearer', keywords: ['bearer'], find: (text) => groups(text, BARE_BEARER, 'auth-header', (value) => isRandom(value, 3.2) && /\d/.test(value)) },
  { id: 'key-header', keywords: ['key', 'token'], find: (text) => groups(text, KEY_HEADER, 'auth-header', (value) => isRandom(value, 3.2) && /\d/.test(value) && !isPlainValue(value)) },
  { id: 'curl-auth-user', keywords: ['curl'], find: findCurlUsers },
  { id: 'assignment', keywords: ['pass', 'pwd', 'psk', 'secret', 'token', 'key', 'credential', 'dsn', '密码', '口令', '密钥', '令牌'], find: findAssignments },
  { id: 'prefixed-key', keywords: ['sk', 'pk', 'rk', 'ak', 'ek', 'api', 'key', 'tok', 'pat', 'secret', 'live', 'prod'], find: (text) => groups(text, DOTTED_KEY, 'api-key', isPrefixedKey) },
  { id: 'kubernetes-secret', keywords: ['secret'], find: findKubernetesSecrets },
  ...SAID_SECRETS,
];
