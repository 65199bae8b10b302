/**
 * workingFolder: where the process was started. Its folder may have been removed meanwhile (a worktree, a checkout of
 * CI); the shell still knows its name, and what is done with it says that it is not there.
 */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/removed'; // no name left: a folder that is not there either
  }
}
