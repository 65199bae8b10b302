/**
 * What the redactor masks and what it leaves alone. Secrets are put together here from pieces, so that no scanner
 * of this repository finds one in it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/engine/extraction/redaction/redactor.ts';
import { fingerprintOf } from '../../../../src/engine/extraction/redaction/secretShape.ts';
import { createSeededRandom } from '../../../support/seededRandom.ts';

const redactor = createRedactor();
const redact = (text: string): string => redactor.redact(text).text;

const random = createSeededRandom(41);
const pick = (alphabet: string, length: number): string => Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const BASE64 = `${ALPHANUMERIC}+/`;
const base64url = (value: unknown): string => btoa(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
const jwt = (): string => `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: '1234567890', name: 'Robin', iat: 1516239022 })}.${pick(`${ALPHANUMERIC}-_`, 43)}`;

const PEM_BODY = Array.from({ length: 12 }, () => pick(BASE64, 64)).join('\n');
const pem = (label: string): string => `-----BEGIN ${label}PRIVATE KEY-----\n${PEM_BODY}\n-----END ${label}PRIVATE KEY-----`;
const leaks = (text: string, secret: string, length: number): boolean => {
  for (let at = 0; at + length <= secret.length; at += 1) if (text.includes(secret.slice(at, at + length))) return true;
  return false;
};

describe('the redactor masks', () => {
  it('three of five lines of an .env file that a tool printed, and leaves the other two (case A41)', () => {
    const password = `Tr0ub4dor-${pick(ALPHANUMERIC, 6)}`;
    const stripe = `sk_live_${pick(ALPHANUMERIC, 24)}`;
    const token = jwt();
    const after = redact(`DATABASE_URL=postgres://app:${password}@db.internal:5432/app\nSTRIPE_KEY=${stripe}\nSESSION_JWT=${token}\nNODE_ENV=production\nPORT=3000\n`);
    expect(after).toBe('DATABASE_URL=postgres://app:[redacted:url-password]@db.internal:5432/app\nSTRIPE_KEY=[redacted:stripe-access-token]\nSESSION_JWT=[redacted:jwt]\nNODE_ENV=production\nPORT=3000\n');
  });

  it('a key with dots to its last character (case A42)', () => {
    const key = `sk-sp-${pick(LOWER, 24)}.${pick(LOWER, 30)}`;
    expect(redact(`Use ${key} for staging.`)).toBe('Use [redacted:api-key] for staging.');
  });

  it('forty hex digits that a name calls an API key (case A42)', () => {
    const after = redact(`apiKey = "${pick('0123456789abcdef', 40)}"`);
    expect(after).toMatch(/^apiKey = "\[redacted:[a-z-]+\]"$/);
  });

  it.each(['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])('the whole body of a %sPRIVATE KEY, not only its frame (case A43)', (label) => {
    const after = redact(`cat key.pem\n${pem(label)}\ndone`);
    expect(leaks(after, PEM_BODY, 20)).toBe(false);
    expect(after).toBe('cat key.pem\n[redacted:private-key]\ndone');
  });

  it('a private key whose END or BEGIN was cut off, and one with escaped line ends', () => {
    expect(leaks(redact(pem('RSA ').slice(0, 600)), PEM_BODY, 20)).toBe(false);
    expect(leaks(redact(`tail of the file:\n${pem('RSA ').slice(300)}`), PEM_BODY, 20)).toBe(false);
    expect(leaks(redact(`KEY="${pem('').replaceAll('\n', '\\n')}"`), PEM_BODY, 20)).toBe(false);
  });

  it('bearer tokens, basic authorisation and curl users', () => {
    const token = pick(ALPHANUMERIC, 32);
    expect(redact(`Authorization: Bearer ${token}`)).toBe('Authorization: Bearer [redacted:auth-header]');
    expect(redact(`curl -H "Authorization: Basic ${btoa(`robin:${token}`)}" https://example.org`)).toContain('Basic [redacted:');
    expect(redact(`curl -u robin:${token} https://example.org`)).toBe('curl -u [redacted:curl-auth-user] https://example.org');
    expect(redact(`git clone https://robin:${token}@git.example.org/a.git`)).toBe('git clone https://robin:[redacted:url-password]@git.example.org/a.git');
  });

  it('passwords that are said in English and Chinese', () => {
    expect(redact('the password for staging is Zx9!kk20pq.')).toBe('the password for staging is [redacted:password]');
    expect(redact('密码是 Zx9!kk20pq')).toBe('密码是 [redacted:password]');
    expect(redact('Server=db;User Id=sa;Password=Hj7$kq2!x;')).toBe('Server=db;User Id=sa;Password=[redacted:password];');
  });

  it('every value of a Kubernetes secret', () => {
    const first = btoa(pick(ALPHANUMERIC, 18));
    const second = btoa(pick(ALPHANUMERIC, 18));
    const after = redact(`apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  user: ${first}\n  pass: ${second}\n---\nkind: ConfigMap\ndata:\n  mode: production-cluster\n`);
    expect(after).not.toContain(first);
    expect(after).not.toContain(second);
    expect(after).toContain('mode: production-cluster');
  });

  it('values of .env files wherever they stand, but not the plain ones', () => {
    const secret = pick(LOWER, 14);
    const withEnv = createRedactor({ envValues: () => [{ name: 'ADMIN_PASSWORD', value: secret }, { name: 'NODE_ENV', value: 'production' }, { name: 'PORT', value: '3000' }, { name: 'API_URL', value: 'https://api.example.org' }, 'a8Kd93kxq0'] });
    expect(withEnv.redact(`log in with ${secret} or a8Kd93kxq0; production listens on 3000 at https://api.example.org`).text).toBe('log in with [redacted:env-value] or [redacted:env-value]; production listens on 3000 at https://api.example.org');
  });

  it('and says how many of which kind', () => {
    const report = redactor.redact(`a=${jwt()} b=${jwt()} https://robin:${pick(ALPHANUMERIC, 12)}@example.org`);
    expect(report.redactions).toEqual([{ kind: 'jwt', count: 2 }, { kind: 'url-password', count: 1 }]);
  });
});

describe('the redactor leaves alone', () => {
  it.each([
    'git revert 9f2c4b7a1d3e5f60718293a4b5c6d7e8f9012345',
    'id 550e8400-e29b-41d4-a716-446655440000',
    '"integrity": "sha512-Q1dQk7m1q3rYB2E8QkIYB9c1p0m+8v1r3sKJ3yqQ0oVQ8Z3K4l5m6n7o8p9q0r1s2t3u4v5w6x7y8z9A0B1C2D=="',
    'resolved "https://registry.example.org/a/-/a-1.0.0.tgz#9f2c4b7a1d3e5f60718293a4b5c6d7e8f9012345"',
    '![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==)',
    'const tokenCount = countTokens(text);',
    'password: string;',
    'password = hashPassword(req.body.password1)',
    'export API_KEY=YOUR_API_KEY',
    'token = ${GITHUB_TOKEN}',
    'PASSWORD=<your password here>',
    'postgres://user:password@localhost/db',
    'The password is required.',
    '--- PASS: TestE2E_CheckpointIDFormat (0.00s)',
    'cacheKey = `user:${id}:profile`',
    'Use the `X-Api-Key` header; keys are hashed at rest.',
    '-----BEGIN PRIVATE KEY----- is how such a file starts',
    'We never store access tokens in localStorage.',
    '密码必须至少 12 位',
  ])('%s', (text) => {
    expect(redactor.redact(text)).toEqual({ text, redactions: [] });
  });

  it('a false alarm that a person allowed', () => {
    const looksSecret = `apiKey = "${pick('0123456789abcdef', 40)}"`;
    const [finding] = redactor.scan(looksSecret);
    expect(finding?.fingerprint).toBe(fingerprintOf(looksSecret.slice(finding?.start, finding?.end)));
    expect(createRedactor({ allow: () => [finding?.fingerprint ?? ''] }).redact(looksSecret).text).toBe(looksSecret);
  });
});

describe('redacting twice', () => {
  it('changes nothing more, whatever stands around the secrets (seed 4100)', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom('apiKey = "', '"', 'password: ', '\n', 'token=', ' https://a:', '@b.example ', 'Bearer ', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'kind: Secret\ndata:\n  a: '),
      fc.nat().map((seed) => {
        const next = createSeededRandom(seed);
        return Array.from({ length: 40 }, () => BASE64[Math.floor(next() * 64)]).join('');
      }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = redact(pieces.join(''));
        expect(redact(once)).toBe(once);
      }),
      { seed: 4100, numRuns: 400 },
    );
  });
});

/** One template a line: `{an40}` is forty random letters and digits, `{pw}` a chosen password. */
const KINDS: Readonly<Record<string, () => string>> = {
  hex32: () => pick('0123456789abcdef', 32), hex64: () => pick('0123456789abcdef', 64), an20: () => `${pick(ALPHANUMERIC, 18)}7q`, an24: () => `${pick(ALPHANUMERIC, 22)}7q`, an40: () => `${pick(ALPHANUMERIC, 38)}7q`, an48: () => `${pick(ALPHANUMERIC, 46)}7q`,
  pw: () => `Q${pick(LOWER, 5)}${pick('23456789', 2)}!${pick(LOWER, 2)}`, basic: () => btoa(`svc:${pick(ALPHANUMERIC, 18)}`), num: () => pick('123456789', 10), pem: () => Array.from({ length: 4 }, () => pick(BASE64, 64)).join('\n'),
};

describe('the redactor masks where people put secrets', () => {
  it.each([
    'groq gsk_{an48}', 'xai-{an48}', 'hf_{an40}', 'sk-or-v1-{hex64}', 'SecretId AKID{an24}', 'LTAI5t{an20}', 'sbp_{hex32}', 'ntn_{an40}', 'bot{num}:AA{an40}',
    'https://{hex32}:{hex32}@o1.ingest.example.io/4511', 'postgres://owner:npg_{an20}@db.example.org/app', 'jdbc:postgresql://db/app?user=app&password={pw}',
    'Cookie: theme=dark; sessionid={an40}', 'curl -b "sid={an40}" https://example.org', 'Authorization: Basic {basic}', 'https://open.example.cn/open-apis/bot/v2/hook/{hex32}',
    'mysql -u root -p{pw} app', 'sqlcmd -S db -U sa -P {pw}', 'PGPASSWORD={pw} psql', 'deploy --password {pw} now', 'machine api.example.org login bob password {pw}',
    '//npm.example.org/:_authToken={an40}', '_auth={basic}', '{"auths":{"https://index.example.io/v1/":{"auth":"{basic}"}}}', '    client-key-data: {basic}{basic}{basic}', '-----BEGIN EC PRIVATE KEY-----\n{pem}\n-----END EC PRIVATE KEY-----',
    '密码：{pw}', '数据库密码是 {pw}', '账号 admin 密码 {pw}', '用户名/密码：admin/{pw}', '密钥：{an40}', '令牌 = {an40}', 'API 密钥是 {an40}',
    'the password is {pw}', 'pw: {pw}', 'user: admin pass: {pw}', 'my api key is {an40}', 'use {an40} as the api key', 'secret access key {an40}',
    '<password>{pw}</password>', '<add key="ApiSecret" value="{an40}" />', "define('DB_PASSWORD', '{pw}');", 'ENV API_TOKEN {an40}', 'variable "db_password" {\n  default = "{pw}"\n}', 'psk="{pw}"', 'admin:$apr1$QxR5XX0X$N9nh6Gc928wheIJ4xMpyM2',
  ])('%s', (template) => {
    const secrets: string[] = [];
    const text = template.replaceAll(/\{(\w+)\}/g, (whole, kind: string) => {
      const secret = KINDS[kind]?.() ?? whole;
      if (secret !== whole) secrets.push(secret);
      return secret;
    });
    const after = redact(text);
    for (const secret of secrets) expect(leaks(after, secret, Math.min(8, secret.length))).toBe(false);
    expect(after).toContain('[redacted:');
    expect(redact(after)).toBe(after);
  });

  it.each([
    'the password is stored as an argon2 hash', 'password: required, at least 12 characters', 'the token is kept in localStorage, the secret in the vault', 'docker run -p 8080:80 -e NODE_ENV=production app', 'mysql -u root -p app',
    'Cookie: theme=dark; lang=en-US', 'use the ulid as the key', 'commit 4f3c2a1b9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a fixes it', 'toolu_01XFDUDYJgAVJvZxPqRsTuVw', 'integrity="sha512-Q1w2E3r4T5y6U7i8O9p0A1s2D3f4G5h6J7k8L9z0X1c2V3b4N5m6"', 'https://example.org/docs/webhooks/getting-started',
    '密码要至少 12 位', '令牌放在 header 里', '账号和密码在 1password 里', 'login admin / viewer roles', 'csrf-token is rotated', 'sk-ant-api03-abcdefghijklmnop-klmnopqrstuvwx',
  ])('and leaves alone: %s', (text) => expect(redact(text)).toBe(text));
});
