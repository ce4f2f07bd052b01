import * as core from '@actions/core'

/** Hides a secret in the forms that it may show up in. */
export function maskSecret(secret: string): void {
  if (secret === '') return
  core.setSecret(secret)
  // The runner masks base64 by itself, but not every way to write a secret into an address or a form.
  const forms = [encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
  for (const form of new Set(forms)) if (form !== secret) core.setSecret(form)
}
