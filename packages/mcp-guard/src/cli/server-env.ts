/**
 * Variables that are about this process and break or watch a program that inherits them: the host's own
 * runtime, channels to a parent that the program has not, debuggers, and what the guard itself keeps secret.
 */
const DENIED = [
  /^NODE_OPTIONS$/,
  /^NODE_V8_COVERAGE$/,
  /^NODE_CHANNEL_/,
  /^NODE_UNIQUE_ID$/,
  /^ELECTRON_/,
  /^VSCODE_/,
  /^HOLDFAST_/,
];

/** What no program does without. */
const NEEDED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'PATHEXT', 'COMSPEC', 'TEMP', 'TMP', 'WINDIR'],
  ...['USERNAME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA'],
];

/**
 * The variables of a server: those that the host gave, but for the ones that are not meant for it.
 *
 * @param only names; then the server has these, whatever they are, and what no program does without
 */
export function serverEnv(
  env: NodeJS.ProcessEnv,
  only: readonly string[] | undefined,
): NodeJS.ProcessEnv {
  const named = new Set([...(only ?? []), ...NEEDED].map((name) => name.toUpperCase()));
  const isMeant = (name: string): boolean =>
    only === undefined
      ? !DENIED.some((denied) => denied.test(name))
      : named.has(name.toUpperCase()) || name.startsWith('LC_');
  return Object.fromEntries(Object.entries(env).filter(([name]) => isMeant(name)));
}
