/*
 * Loaded before a step by NODE_OPTIONS: its clock and its timers run twenty times as fast, or HURRY times, so that its
 * patience with a service that is away takes a test no longer than a second or two. HURRY=8 leaves a busy machine time
 * for what a step must do before its own limits.
 */
const factor = Number(process.env.HURRY ?? 20)
const began = performance.now()
const { now } = Performance.prototype
const { setTimeout, setInterval } = globalThis

Performance.prototype.now = function () {
  return began + (now.call(this) - began) * factor
}
globalThis.setTimeout = (callback, milliseconds, ...given) =>
  setTimeout(callback, milliseconds / factor, ...given)
// While it attaches small files, its look at the memory, every 5 ms, would collect garbage for a third of its time.
globalThis.setInterval = (callback, milliseconds, ...given) =>
  setInterval(callback, Math.max(500, milliseconds), ...given)
