/** The name of a branch, which may be given as a reference such as `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}
