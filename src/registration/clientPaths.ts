/**
 * Where Claude Code and Claude Desktop keep what registration touches. Pure: environment and home come in.
 */
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ClaudePaths {
  /** `~/.claude`, or CLAUDE_CONFIG_DIR. */
  readonly directory: string;
  readonly settings: string;
  /** `~/.claude.json`; inside CLAUDE_CONFIG_DIR where that is set. */
  readonly userConfig: string;
  readonly skills: string;
  readonly knownMarketplaces: string;
  readonly installedPlugins: string;
  readonly pluginData: string;
}

/** `claudeHome` stands for the home folder (holding `.claude/` and `.claude.json`) and wins over the environment. */
export function claudePaths(options: { readonly claudeHome?: string; readonly env: Environment; readonly osHome: string }): ClaudePaths {
  const configured = options.claudeHome === undefined ? options.env.CLAUDE_CONFIG_DIR?.trim() : undefined;
  const home = options.claudeHome ?? options.osHome;
  const directory = configured === undefined || configured === '' ? path.join(home, '.claude') : path.resolve(configured);
  return {
    directory,
    settings: path.join(directory, 'settings.json'),
    userConfig: configured === undefined || configured === '' ? path.join(home, '.claude.json') : path.join(directory, '.claude.json'),
    skills: path.join(directory, 'skills'),
    knownMarketplaces: path.join(directory, 'plugins', 'known_marketplaces.json'),
    installedPlugins: path.join(directory, 'plugins', 'installed_plugins.json'),
    pluginData: path.join(directory, 'plugins', 'data'),
  };
}

/** Claude Desktop's configuration file. */
export function desktopConfigPath(platform: string, env: Environment, osHome: string): string {
  if (platform === 'darwin') return path.join(osHome, 'Library', 'Application Support', 'Claude', 'claude_desktop_config.json');
  if (platform === 'win32') return path.join(env.APPDATA ?? path.join(osHome, 'AppData', 'Roaming'), 'Claude', 'claude_desktop_config.json');
  const config = env.XDG_CONFIG_HOME?.trim();
  return path.join(config === undefined || config === '' ? path.join(osHome, '.config') : config, 'Claude', 'claude_desktop_config.json');
}
