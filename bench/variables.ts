/** The environment that `bench/programs/github.ts` prints. */
export function variables(text: string): Record<string, string> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error(`No variables: ${text}`)
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, String(held)]))
}
