import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { ArchiveError } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import { cause, errorCode, quoted } from '../faults.js'

/** Where Git is asked. */
export interface GitPlace {
  /** At or below `repository`; what Git lists is relative to it. */
  folder: string
  /** The folder with the `.git`. */
  repository: string
  signal: AbortSignal | undefined
}

interface GitAnswer {
  stdout: Buffer
  stderr: string
}

/**
 * Runs Git on a repository that may be hostile: its settings may name programs for many occasions. Git gets the path
 * of the repository, so it does not use another one inside the folder, and does not check the owner.
 *
 * @param codes exit codes that are a success
 */
export async function git(
  args: readonly string[],
  { folder, repository, signal }: GitPlace,
  codes: readonly number[] = [0],
): Promise<GitAnswer> {
  const where = ['-C', folder, `--git-dir=${join(repository, '.git')}`]
  const options = {
    // Not the packed folder: Windows would prefer a git.exe in it.
    cwd: dirname(process.execPath),
    env: gitEnvironment(process.env),
    encoding: 'buffer' as const,
    maxBuffer: 1 << 30,
    timeout: 5 * 60_000,
    windowsHide: true,
    ...(signal && { signal }),
  }
  try {
    return await new Promise((resolve, reject) => {
      execFile('git', [...where, ...harmless, ...args], options, (error, stdout, stderr) => {
        const text = stderr.toString('utf8')
        const ended = !error || (typeof error.code === 'number' && codes.includes(error.code))
        // If objects of the index are missing, Git lists what it can and reports success.
        if (ended && !/^error: /m.test(text)) resolve({ stdout, stderr: text })
        else reject(gitFault(error, text, folder))
      })
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

// They override the repository's own settings, even in programs that Git starts.
const harmless = [
  '--no-pager',
  ...['-c', 'core.fsmonitor='],
  ...['-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'credential.helper='],
  ...['-c', 'fetch.bundleURI='],
  ...['-c', 'protocol.allow=never'],
  ...['-c', 'safe.bareRepository=explicit'],
]

// What Git needs to start and to find the settings of whoever runs the machine, such as their core.excludesFile.
const needed = new Set([
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_EXEC_PATH'],
  // Windows
  ...['PATHEXT', 'SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PROGRAMDATA', 'APPDATA', 'LOCALAPPDATA'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'TEMP', 'TMP'],
])

/** No input, no token, nothing from an outer Git; no transport and no fetching, whatever the settings say. */
function gitEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(from).filter(([name]) => needed.has(name.toUpperCase()))),
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  }
}

function gitFault(
  error: (Error & { killed?: boolean }) | null,
  stderr: string,
  folder: string,
): ArchiveError {
  if (errorCode(error) === 'ENOENT') {
    return new ArchiveError(
      `${quoted(folder)} belongs to a Git repository, but the program git was not found, so ignored files cannot be recognized. Install git in the job's container.`,
      { cause: error },
    )
  }
  if (/promisor|not allowed|lazy fetching|^error: Could not read/m.test(stderr)) {
    return new ArchiveError(
      `Git could not list the files of ${quoted(folder)} without objects that the repository lacks. This step does not fetch them, because the repository would choose the program that does. Run "git ls-files" or "git sparse-checkout disable" in a step before this one, or leave the folder out with the input exclude.`,
      { cause: error },
    )
  }
  const said =
    error?.killed === true ? 'it did not answer within five minutes' : oneLine(stderr) || cause(error)
  return new ArchiveError(
    `Git could not list the files of ${quoted(folder)}: ${said}. Repair the repository, or leave the folder out with the input exclude.`,
    { cause: error },
  )
}
