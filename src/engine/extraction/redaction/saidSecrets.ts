/**
 * Secrets by where people put them: named in a sentence, on a command line, in a cookie, a webhook's address, a
 * configuration of a tool, or with the beginning that a provider gives its keys. All rules are linear; see ownRules.ts.
 */
import { entropyOf, isCode, isMixed, isPlaceholder, isPlainValue, isSequence } from './secretShape.ts';

export interface SecretSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly kind: string;
}

export interface OwnRule {
  readonly id: string;
  /** Lower-case; the rule runs only when the lower-cased text holds one of them. */
  readonly keywords: readonly string[];
  find(text: string, lower: string): SecretSpan[];
}

/** Spans of all groups where `accept` agrees. Patterns have flags `d` and `g`. */
export function groups(text: string, pattern: RegExp, kind: string, accept: (value: string) => boolean): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(pattern)) {
    for (let group = 1; group < match.length; group += 1) {
      const at = match.indices?.[group];
      const value = match[group];
      if (at !== undefined && value !== undefined && accept(value)) spans.push({ start: at[0], end: at[1], kind });
    }
  }
  return spans;
}

const isChosen = (value: string): boolean => isMixed(value) && !isPlaceholder(value) && !isCode(value) && !isPlainValue(value);
const isRandomKey = (value: string): boolean => isChosen(value) && /\d/.test(value) && entropyOf(value) >= 3.3 && !/^[\w-]+(?:\.[\w-]+)*\/[\w./-]+$/.test(value) && !/^[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{0,4}$/i.test(value);
/** Digits and letters of a random run; an identifier has words. */
const isRandomRun = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) >= 3 && !isPlaceholder(value) && !isSequence(value);

/** Beginnings that providers give their keys and that no published rule knows in all their lengths, as data. */
const PROVIDER_PREFIXES =
  'gsk_|xai-|r8_|hf_|pplx-|sk-or-(?:v1-)?|nvapi-|csk-|fw_|tgp_v1_|tvly-|jina_|fc-|e2b_|AKLT|AKID|LTAI|sbp_|sb_secret_|npg_|pscale_(?:tkn|pw|oauth)_|fm[12]_|rnd_|nfp_|tskey-(?:auth|api|client)-|lin_(?:api|oauth)_|ntn_|figd_|phx_|re_|lsv2_(?:pt|sk)_|pcsk_|whsec_|GOCSPX-|ATBB|ATATT3|NRAK-|NRII-|NRRA-|ops_ey|hv[sbr]\\.|CCIPAT_|bkua_|dp\\.(?:pt|st|ct|sa)\\.|glsa_|dapi|pul-|do[op]_v1_';
const PREFIXED = new RegExp(String.raw`(?<![\w./-])((?:${PROVIDER_PREFIXES})[A-Za-z0-9_.-]{16,300})`, 'dg');
const THREE_PARTS = /(?<![\w./-])(st\.[0-9a-f]{16,40}\.[0-9a-f]{24,80}\.[0-9a-f]{24,80})/dg;
const TELEGRAM = /(?<![\w])(?:bot)?(\d{8,11}:AA[\w-]{30,50})/dg;
const FIREBASE = /(?<![\w])(AAAA[\w-]{7}:APA91b[\w-]{50,200})/dg;
const HASHES = /(\$(?:apr1|2[abxy]|1|5|6|y|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12})\$[^\s:"'`]{20,200})/dg;

const WEBHOOK = /https?:\/\/[^\s"'`<>]{3,80}\/(?:webhooks?|hooks?|hook|robot|services)\/(?:[\w-]{1,40}\/){0,3}([\w-]{20,120})/dg;

const COOKIE_LINE = /(?:\bset-cookie|\bcookie)['"]?[ \t]{0,3}:[ \t]{0,3}['"]?([^\n'"]{8,4000})|\bcurl\b[^\n]{0,300}?[ \t](?:-b|--cookie)[ \t=]{0,3}(?:"([^"\n]{8,2000})"|'([^'\n]{8,2000})')/dgi;
const COOKIE_PAIR = /(?:^|;[ \t]{0,3})[\w.$-]{1,80}=([^;\s"']{16,2000})/dg;

/** The values of a cookie line that are random: sessions and tokens, not themes and languages. */
function findCookies(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(COOKIE_LINE)) {
    for (const group of [1, 2, 3]) {
      const at = match.indices?.[group];
      const value = match[group];
      if (at === undefined || value === undefined) continue;
      for (const span of groups(value, COOKIE_PAIR, 'cookie', isRandomRun)) spans.push({ ...span, start: span.start + at[0], end: span.end + at[0] });
    }
  }
  return spans;
}

const QUERY_PASSWORD = /[?&;](?:password|passwd|pwd)=([^\s&;"'<>]{4,200})/dgi;
const USER_OF_URL = /\b[a-z][a-z0-9+.-]{1,30}:\/\/([A-Za-z0-9_-]{20,200}):[^\s@/'"<>`]{1,200}@/dgi;

const COMMAND_PASSWORD = new RegExp(
  [
    String.raw`\b(?:mysql|mysqldump|mysqladmin|mariadb(?:-dump)?)\b[^\n|;&]{0,200}?[ \t]-p([^\s"'-][^\s"']{3,80})`,
    String.raw`\b(?:sqlcmd|bcp|osql)\b[^\n|;&]{0,200}?[ \t]-P[ \t]{0,2}["']?([^\s"']{4,80})`,
    String.raw`\b(?:sshpass|mongosh?|mongodump|ldap\w{3,10})\b[^\n|;&]{0,200}?[ \t](?:-p|-w)[ \t]{0,2}["']?([^\s"'-][^\s"']{3,80})`,
    String.raw`\bredis-cli\b[^\n|;&]{0,200}?[ \t](?:-a|--pass)[ \t]{1,2}["']?([^\s"']{4,80})`,
    String.raw`[ \t]--(?:password|passwd|db-password|admin-password|http-password|docker-password)[ \t=]{1,2}["']?([^\s"'$-][^\s"']{3,80})`,
  ].join('|'),
  'dg',
);

const LOGIN_AND_PASSWORD = /(?:\b(?:login|user(?:name)?|account)\b|账号|帐号|用户名?)[:：]?[ \t]{0,2}(?:是|为)?[ \t]{0,2}["'`]?[\w.@+-]{1,60}["'`]?[,，;；]?[ \t]{1,3}(?:\b(?:password|passwd|pass|pwd|pw)\b|密码|口令)[:：]?[ \t]{0,3}(?:是|为|is)?[ \t]{0,2}["'`“]?([^\s"'`”，。；,;]{5,64})/dgi;
const LOGIN_SLASH = /(?:\b(?:login|credentials?|creds|user\/pass(?:word)?)\b|账号|用户名[/／]密码|账号[/／]密码|登录)[:：]?[ \t]{0,2}["'`]?[\w.@+-]{1,60}[ \t]{0,2}[/／][ \t]{0,2}([^\s"'`/，。；,;]{6,64})/dgi;
const SAID_PASSWORD = /(?:\b(?:password|passphrase|passcode|pwd|pw|passwd)\b(?:[ \t]{1,2}(?:for|of|to|on)[ \t]{1,2}[\w. -]{1,40}?)?(?:[ \t]{1,3}(?:is|was|=)[ \t]{1,3}|[ \t]{0,2}[:=][ \t]{0,2})|(?:密码|口令)[ \t]{0,2}(?:是|为|：|:|=)?[ \t]{0,2})["'`“]?([^\s"'`”“,;，。；]{5,64})/dgi;
const SAID_KEY = /(?:(?<![\w-])(?:(?:api|access|secret|private|signing|encryption|license|service|account)[ _-]?(?:access[ _-]?)?key|(?:access|auth|bearer|api|refresh|deploy|bot|personal access) token|client secret|token|secret ?key|secret ?id)\b|密钥|私钥|令牌|授权码|访问令牌|凭证)(?:[ \t]{1,2}(?:for|of|to)[ \t]{1,2}[\w. -]{1,40}?)?(?:[ \t]{0,3}(?:is|was|是|为|=|:|：)[ \t]{0,3}|[ \t]{1,3})["'`“]?([A-Za-z0-9_./+=-]{16,300})/dgi;
const USED_AS_KEY = /(?<![\w./-])([A-Za-z0-9_+=-]{20,200})["'`]?[ \t]{1,2}(?:as|for)[ \t](?:the|my|our|an?|your)[ \t](?:[\w-]{1,20}[ \t]){0,2}(?:api[ -]?key|key|token|secret|password)\b/dgi;

const SECRET_WORD = '(?:pass(?:word|wd|phrase)?|pwd|psk|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|auth[-_.]?key|credentials?)';
const XML_VALUE = new RegExp(String.raw`<([\w.:-]{0,40}${SECRET_WORD})>([^<\s]{4,300})<\/`, 'dgi');
const NAMED_VALUE = new RegExp(String.raw`(?:key|name)=["'](?!authenticity|csrf|xsrf)[\w.:-]{0,60}${SECRET_WORD}["'][ \t]{1,3}value=["']([^"'\n]{4,300})["']`, 'dgi');
const PAIR_OF_STRINGS = new RegExp(String.raw`['"][\w.-]{0,60}${SECRET_WORD}['"][ \t]{0,2}(?:,|=>)[ \t]{0,2}['"]([^'"\n]{4,300})['"]`, 'dgi');
const SPACED_ENV = new RegExp(String.raw`^[ \t]{0,8}(?:ENV|ARG|set -g?x|setx|setenv)[ \t]{1,3}[A-Z0-9_]{0,60}(?:PASS(?:WORD|WD)?|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)[ \t]{1,3}["']?([^\s"']{6,400})`, 'dgm');
const TERRAFORM = new RegExp(String.raw`variable[ \t]{1,3}"[\w-]{0,60}${SECRET_WORD}"[ \t]{0,3}\{[^}]{0,400}?default[ \t]{0,4}=[ \t]{0,4}"([^"\n]{4,300})"`, 'dgi');

/** Group 2 of an XML element; the first is its name. */
const findXml = (text: string): SecretSpan[] => [...text.matchAll(XML_VALUE)].flatMap((match) => {
  const at = match.indices?.[2];
  return at !== undefined && isChosen(match[2] ?? '') ? [{ start: at[0], end: at[1], kind: 'secret-value' }] : [];
});

export const SAID_SECRETS: readonly OwnRule[] = [
  { id: 'provider-key', keywords: ['_', '-', '.', 'aklt', 'akid', 'ltai', 'atbb', 'atatt3', 'dapi', 'aiza'], find: (text) => [...groups(text, PREFIXED, 'api-key', (value) => isRandomRun(value) && value.split(/[-_.]/).some((run) => run.length >= 12 && isRandomRun(run))), ...groups(text, THREE_PARTS, 'api-key', isRandomRun)] },
  { id: 'bot-token', keywords: [':aa', ':apa91b'], find: (text) => [...groups(text, TELEGRAM, 'bot-token', isRandomRun), ...groups(text, FIREBASE, 'api-key', isRandomRun)] },
  { id: 'password-hash', keywords: ['$'], find: (text) => groups(text, HASHES, 'password-hash', (value) => entropyOf(value) >= 3.3) },
  { id: 'webhook', keywords: ['hook', 'robot', 'services'], find: (text) => groups(text, WEBHOOK, 'webhook', isRandomRun) },
  { id: 'cookie', keywords: ['cookie', 'curl'], find: findCookies },
  { id: 'query-password', keywords: ['password=', 'passwd=', 'pwd='], find: (text) => groups(text, QUERY_PASSWORD, 'password', isChosen) },
  { id: 'url-user', keywords: ['://'], find: (text) => groups(text, USER_OF_URL, 'url-token', isRandomRun) },
  { id: 'command-password', keywords: ['mysql', 'mariadb', 'sqlcmd', 'bcp', 'osql', 'sshpass', 'mongo', 'ldap', 'redis-cli', 'password', 'passwd'], find: (text) => groups(text, COMMAND_PASSWORD, 'password', isChosen) },
  { id: 'login', keywords: ['login', 'user', 'account', 'cred', '账号', '帐号', '用户', '登录'], find: (text) => [...groups(text, LOGIN_AND_PASSWORD, 'password', isChosen), ...groups(text, LOGIN_SLASH, 'password', (value) => isChosen(value) && /[!@#$%^&*?~]|\d.*[A-Za-z]|[A-Za-z].*\d/.test(value) && entropyOf(value) >= 2.5)] },
  { id: 'said-password', keywords: ['password', 'passphrase', 'passcode', 'pwd', 'pw', 'passwd', '密码', '口令'], find: (text) => groups(text, SAID_PASSWORD, 'password', isChosen) },
  { id: 'said-key', keywords: ['key', 'token', 'secret', '密钥', '私钥', '令牌', '授权码', '凭证'], find: (text) => [...groups(text, SAID_KEY, 'secret-value', isRandomKey), ...groups(text, USED_AS_KEY, 'secret-value', isRandomKey)] },
  {
    id: 'configured-secret',
    keywords: ['pass', 'pwd', 'psk', 'secret', 'token', 'key', 'credential'],
    find: (text) => [...findXml(text), ...[NAMED_VALUE, PAIR_OF_STRINGS, TERRAFORM].flatMap((pattern) => groups(text, pattern, 'secret-value', isChosen)), ...groups(text, SPACED_ENV, 'env-secret', (value) => isChosen(value) && entropyOf(value) >= 2.5)],
  },
];
