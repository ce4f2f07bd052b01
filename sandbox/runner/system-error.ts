/** The code of an error of the operating system, such as ENOENT; undefined for any other value. */
export function systemErrorCode(error: unknown): string | undefined {
  // Not by instanceof: an error from another realm, such as a test's, has another Error.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
