/** Runs the work and prints on the last line how long it took. */
export async function timed(work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(JSON.stringify({ milliseconds: performance.now() - began }))
}
