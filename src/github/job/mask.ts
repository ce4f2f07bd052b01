import * as core from '@actions/core'
import { type Redaction, secretParts, secrets } from '../../text/redaction.js'

/** A secret that is added is masked in the job's log from then on, and removed from what is published. */
export function stepSecrets(): Redaction {
  return {
    ...secrets,
    add(secret) {
      maskSecret(secret)
      secrets.add(secret)
    },
  }
}

/** Masks a secret in the forms in which it may appear. */
function maskSecret(secret: string): void {
  if (secret === '') return
  // The runner masks base64 by itself, but not every way to write a secret into an address or a form.
  const forms = secretParts(secret).flatMap((part) => [
    part,
    encodeURIComponent(part.toWellFormed()),
    new URLSearchParams([['', part]]).toString().slice(1),
  ])
  for (const form of new Set(forms)) core.setSecret(form)
}
