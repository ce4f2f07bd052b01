/*
 * Loaded before a step by NODE_OPTIONS: its clock and its timers run twenty times as fast, or HURRY times, so that its
 * patience with a service that is away takes a test no longer than a second or two. HURRY=8 leaves a busy machine time
 * for what a step must do before its own limits.
 */
const factor = Number(process.env.HURRY ?? 20)
const began = performance.now()
const { now } = Performance.prototype
const { setTimeout } = globalThis

Performance.prototype.now = function () {
  return began + (now.call(this) - began) * factor
}
globalThis.setTimeout = (callback, milliseconds, ...given) =>
  setTimeout(callback, milliseconds / factor, ...given)
