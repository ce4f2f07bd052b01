import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/*
 * Loaded before a step by NODE_OPTIONS: its clock and its timers run twenty times as fast, or HURRY times, so that its
 * patience with a service that is away takes a test no longer than a second or two. HURRY=8 leaves a busy machine time
 * for what a step must do before its own limits. Until a start is on record it is five times: the record may take a
 * minute, and three seconds are too short for that on a busy machine.
 */
const most = Number(process.env.HURRY ?? 20)
const mayStart =
  process.argv[1]?.endsWith('index.js') && !['check', 'collect'].includes(process.env.INPUT_MODE ?? '')
let factor = mayStart ? Math.min(5, most) : most
let real = performance.now()
let shown = real
const { now } = Performance.prototype
const { setTimeout, setInterval } = globalThis

Performance.prototype.now = function () {
  return shown + (now.call(this) - real) * factor
}
globalThis.setTimeout = (callback, milliseconds, ...given) =>
  setTimeout(callback, milliseconds / factor, ...given)
// While it attaches small files, its look at the memory, every 5 ms, would collect garbage for a third of its time.
globalThis.setInterval = (callback, milliseconds, ...given) =>
  setInterval(callback, Math.max(500, milliseconds), ...given)

const answered = 'http.client.response.finish'
subscribe(answered, function hurry({ request }) {
  if (!request.path.endsWith('/FinalizeArtifact')) return
  unsubscribe(answered, hurry)
  const at = now.call(performance)
  shown += (at - real) * factor
  real = at
  factor = most
})
