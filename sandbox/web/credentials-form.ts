import { isScope, scopes, type CredentialsWish, type Scope } from '../service/credentials.js'
import type { Form } from './form.js'
import { markup, type Markup } from './markup.js'

/** The entries, to be shown again with the mistakes. */
export interface CredentialsEntry {
  faults: string[]
  name: string
  expirationDate: string
  apiVersion: string
  scopes: string[]
}

export const emptyEntry: CredentialsEntry = {
  ...{ faults: [], name: '', expirationDate: '', apiVersion: 'v2', scopes: [] },
}

/** The scopes of a step that uploads a test suite, runs it and judges its report. */
export const actionScopes: readonly Scope[] = [
  'LOADTEST_LIST',
  'LOADTEST_STATUS',
  'LOADTEST_DETAILS',
  'LOADTEST_COPY_RUN',
  'LOADTEST_REPORT_DOWNLOAD',
  'CODEARCHIVE_UPLOAD',
]

/** All faults at once. `today` is `YYYY-MM-DD`. */
export function readCredentials(form: Form, today: string): CredentialsEntry {
  const entry = {
    name: form.text('name'),
    expirationDate: form.text('expirationDate'),
    apiVersion: form.text('apiVersion'),
    scopes: form.all('scope'),
  }
  const { name, expirationDate, apiVersion } = entry
  const faults = [
    ...(name === '' ? ['Enter a name.'] : []),
    ...(name.length > 100 ? ['Choose a name of at most 100 characters.'] : []),
    ...(expirationDate === '' || isDate(expirationDate) ? [] : ['Enter the expiration date as YYYY-MM-DD.']),
    ...(isDate(expirationDate) && expirationDate < today ? ['Choose an expiration date in the future.'] : []),
    ...(isVersion(apiVersion) ? [] : ['Choose an API version.']),
    ...(entry.scopes.length > 0 && entry.scopes.every(isScope) ? [] : ['Choose at least one scope.']),
  ]
  return { ...entry, faults }
}

/** The credentials that an entry without faults asks for. */
export function wishOf(
  entry: CredentialsEntry,
  level: { organization: string; project?: string },
): CredentialsWish {
  const { name, expirationDate, apiVersion } = entry
  return {
    ...level,
    name,
    scopes: [...new Set(entry.scopes.filter(isScope))],
    apiVersion: isVersion(apiVersion) ? apiVersion : 'v2',
    ...(expirationDate === '' ? {} : { expirationDate }),
  }
}

/** The same on its own page and in the dialog, except for the way to cancel. */
export function credentialsForm(action: string, entry: CredentialsEntry, cancel: Markup): Markup {
  const boxes = Object.entries(scopes).map(
    ([scope, purpose]) =>
      markup`<label class="check"><input type="checkbox" name="scope" value="${scope}"${entry.scopes.includes(scope) ? markup` checked` : ''}><span><span class="code">${scope}</span><br><span class="quiet">${purpose}</span></span></label>`,
  )
  const versions = ['v2', 'v1'].map(
    (version) => markup`<option${version === entry.apiVersion ? markup` selected` : ''}>${version}</option>`,
  )
  return markup`<form method="post" action="${action}">
<label class="field">Name<input name="name" required maxlength="100" autocomplete="off" value="${entry.name}"></label>
<div class="pair"><label class="field">Expiration date (optional)<input type="date" name="expirationDate" value="${entry.expirationDate}"></label>
<label class="field">API version<select name="apiVersion">${versions}</select></label></div>
<fieldset><legend>Scopes</legend><p class="preset"><a class="button" data-scopes="${actionScopes.join(' ')}" href="${action}/new?scopes=action">What this action needs</a></p>${boxes}</fieldset>
<div class="buttons"><button class="main">Create</button>${cancel}</div>
</form>`
}

function isVersion(text: string): text is 'v1' | 'v2' {
  return text === 'v1' || text === 'v2'
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
