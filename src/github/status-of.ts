import { message } from '../errors.js'

/** The HTTP status of GitHub's answer that an error is about. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined
}

/** What an error says, and what to do: no permission helps against a fault of GitHub itself. */
export function withTodo(error: unknown, todo: string): string {
  const isGitHubs = (statusOf(error) ?? 0) >= 500
  return `${message(error)}. ${isGitHubs ? 'GitHub itself has a fault: run the job again later.' : todo}`
}
