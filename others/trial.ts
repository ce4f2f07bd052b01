/** One trial of other people's program. */
export interface Trial {
  what: string
  /** @throws if it fails */
  try(): Promise<void>
}
