/**
 * Remote URLs in one spelling, so that `git@github.com:Org/App.git` and
 * `https://token@github.com/org/app` are one remote. Pure. Credentials never survive.
 */

/** Hosts whose owner and repository names ignore case. Elsewhere case is kept: better two repositories than a mix. */
const CASE_INSENSITIVE_HOSTS = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'dev.azure.com', 'codeberg.org', 'gitee.com']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { ssh: '22', https: '443', http: '80', git: '9418' };
/** Ways around firewalls, and older names, of the same host. */
const HOST_ALIASES: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'altssh.gitlab.com': 'gitlab.com', 'altssh.bitbucket.org': 'bitbucket.org', 'ssh.dev.azure.com': 'dev.azure.com', 'www.github.com': 'github.com' };

/**
 * `host/path` for network remotes, `file:/abs/path` for local ones; undefined for what
 * names no repository. `base` is what relative local paths count from.
 */
export function normalizeRemoteUrl(url: string, base?: string): string | undefined {
  const trimmed = url.trim();
  if (trimmed === '') return undefined;
  const withScheme = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(trimmed);
  if (withScheme !== null) {
    const scheme = (withScheme[1] ?? '').toLowerCase().replace(/^(git\+|svn\+)/, '');
    const rest = withScheme[2] ?? '';
    if (scheme === 'file') return localRemote(decode(rest.replace(/^localhost(?=\/)/, '')), base);
    const slash = rest.indexOf('/');
    if (slash < 0) return undefined;
    return networkRemote(rest.slice(0, slash), rest.slice(slash), scheme);
  }
  // Windows drive before scp form: `C:/w/app` names no host.
  if (/^[A-Za-z]:[\\/]/.test(trimmed) || trimmed.startsWith('\\\\')) return localRemote(trimmed.replaceAll('\\', '/'), base);
  const scp = /^(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(?!\/\/)(.+)$/.exec(trimmed);
  if (scp !== null && !trimmed.startsWith('/') && !trimmed.startsWith('.')) return networkRemote(scp[1] ?? '', `/${scp[2] ?? ''}`, 'ssh');
  return localRemote(trimmed, base);
}

function networkRemote(authority: string, rawPath: string, scheme: string): string | undefined {
  const [hostText = '', port = ''] = splitPort(authority.slice(authority.lastIndexOf('@') + 1).toLowerCase());
  const host = HOST_ALIASES[hostText] ?? hostText;
  if (host === '') return undefined;
  const usualPort = port === '' || port === DEFAULT_PORTS[scheme] || (host !== hostText && port === '443');
  let path = decode(rawPath).replace(/^\/+/, '').replace(/[?#].*$/, '').replace(/\/+$/, '').replace(/\.git$/i, '').replace(/\/+$/, '').replaceAll(/\/{2,}/g, '/');
  if (host === 'dev.azure.com') path = path.replace(/^v3\//i, '').replace(/\/_git\//i, '/');
  if (path === '') return undefined;
  if (CASE_INSENSITIVE_HOSTS.has(host)) path = path.toLowerCase();
  return `${host}${usualPort ? '' : `:${port}`}/${path}`;
}

function splitPort(authority: string): [string, string] {
  const match = /^(\[[^\]]+\]|[^:]*)(?::(\d*))?$/.exec(authority);
  return [match?.[1] ?? authority, match?.[2] ?? ''];
}

function localRemote(text: string, base: string | undefined): string | undefined {
  const path = text.replace(/\/+$/, '').replace(/(?:\/\.git|\.git)$/, '').replace(/\/+$/, '');
  if (path === '') return undefined;
  if (path.startsWith('/')) return `file:${collapse(path)}`;
  if (/^[A-Za-z]:\//.test(path)) return `file:/${path.slice(0, 1).toUpperCase()}${collapse(path.slice(1)).toLowerCase()}`;
  return base === undefined ? undefined : `file:${collapse(`${base.replaceAll('\\', '/')}/${path}`)}`;
}

/** Resolves `.` and `..` without touching the disk. */
function collapse(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') kept.pop();
    else kept.push(part);
  }
  return `${path.startsWith('/') ? '/' : ''}${kept.join('/')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone per cent sign is part of the name
  }
}
