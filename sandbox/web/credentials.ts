import type { FastifyInstance } from 'fastify'
import {
  isExpired,
  isScope,
  scopes,
  type Credentials,
  type CredentialsWish,
  type Scope,
} from '../service/credentials.js'
import { notFound } from '../service/failure.js'
import type { Platform } from '../service/platform.js'
import type { Place } from '../service/visit.js'
import type { Organization, Project } from '../service/world.js'
import { address } from './address.js'
import { Form } from './form.js'
import { calendarDay, foreign, markup, type Markup, type Part } from './markup.js'
import { organizationAt, pathToOrganization, pathToProject, projectAt } from './place.js'
import { page, problems, section } from './shell.js'
import { table } from './table.js'

/** What credentials belong to: an organization, or one of its projects. */
interface Level {
  org: string
  project?: string
}

const title = 'API Client Credentials'
const newTitle = 'Add API Client Credentials'

/** Creating, listing and deleting credentials of an organization and of a project. */
export function credentialsRoutes(app: FastifyInstance, platform: Platform): void {
  /** New, with a secret that nobody has seen yet. */
  const unseen = new Set<Credentials>()

  for (const place of ['/orgs/:org', '/orgs/:org/projects/:project']) {
    const url = `${place}/credentials`
    app.get<{ Params: Level }>(url, (request, reply) => {
      const level = request.params
      const all = credentialsAt(platform, level)
      const fresh = all.filter((credentials) => unseen.delete(credentials))
      return reply.send(listPage(platform, level, all, fresh))
    })

    app.get<{ Params: Level; Querystring: { scopes?: unknown } }>(`${url}/new`, (request, reply) => {
      const chosen = request.query.scopes === 'action' ? [...actionScopes] : []
      return reply.send(formPage(platform, request.params, { ...emptyEntry, scopes: chosen }))
    })

    app.post<{ Params: Level }>(url, (request, reply) => {
      const level = request.params
      credentialsAt(platform, level)
      const today = new Date(platform.now()).toISOString().slice(0, 10)
      const entry = readCredentials(new Form(request.body), today)
      if (entry.faults.length > 0) return reply.code(400).send(formPage(platform, level, entry))
      const { org: organization, project } = level
      const place = project === undefined ? { organization } : { organization, project }
      unseen.add(platform.addCredentials(wishOf(entry, place)))
      return reply.redirect(address.credentials(level), 303)
    })

    app.post<{ Params: Level & { clientId: string } }>(`${url}/:clientId/delete`, (request, reply) => {
      const { clientId, ...level } = request.params
      const found = credentialsAt(platform, level).find((one) => one.clientId === clientId)
      if (!found) throw notFound('These credentials are already deleted.')
      platform.deleteCredentials(found)
      unseen.delete(found)
      return reply.redirect(address.credentials(level), 303)
    })
  }

  app.post<{ Params: Place }>('/orgs/:org/projects/:project/credentials/organization', (request, reply) => {
    const project = projectAt(platform, request.params)
    project.organizationCredentialsDisabled = new Form(request.body).text('disabled') === 'yes'
    return reply.redirect(address.credentials(request.params), 303)
  })
}

/** @throws Failure 404 */
function credentialsAt(platform: Platform, { org, project }: Level): Credentials[] {
  if (project === undefined) organizationAt(platform, org)
  else projectAt(platform, { org, project })
  return platform.world.credentials.filter((one) => one.organization === org && one.project === project)
}

function listPage(platform: Platform, level: Level, all: Credentials[], fresh: Credentials[]): string {
  const href = address.credentials(level)
  const { org, project } = level
  return page({
    title,
    styles: ['table', 'form', 'deletion', 'credentials'],
    scripts: fresh.length > 0 ? ['copy'] : [],
    path: pathToLevel(platform, level),
    actions: markup`<a class="button main" href="${href}/new">Add</a>`,
    content: [
      fresh.map(secret),
      project === undefined
        ? validity(organizationAt(platform, org))
        : markup`<p class="quiet">They are valid only in this project.</p>`,
      credentialsTable(all, href, platform.now()),
      project === undefined ? '' : organizationControl(projectAt(platform, { org, project }), org, href),
    ],
  })
}

function validity({ projects }: Organization): Markup {
  const closed = [...projects.values()].filter((project) => project.organizationCredentialsDisabled)
  const names = closed.map(({ name }, index) => markup`${index === 0 ? '' : markup`, `}${foreign(name)}`)
  const but = closed.length === 0 ? '' : markup`, except where they are disabled: ${names}`
  return markup`<p class="quiet">They are valid in all projects of the organization${but}.</p>`
}

/** Whether a project accepts the credentials of its organization. */
function organizationControl(project: Project, org: string, href: string): Markup {
  const disabled = project.organizationCredentialsDisabled
  const [value, words] = disabled ? ['no', 'Enable them here'] : ['yes', 'Disable them here']
  const owner = markup`<a href="${address.credentials({ org })}">credentials of ${foreign(org)}</a>`
  const state = disabled
    ? markup`The ${owner} are disabled in this project: the service refuses them with 403.`
    : markup`The ${owner} are valid in this project too.`
  return section(
    'Credentials of the organization',
    markup`<form class="card choice" method="post" action="${href}/organization"><p>${state}</p><button name="disabled" value="${value}">${words}</button></form>`,
  )
}

function secret({ name, clientId, clientSecret }: Credentials): Markup {
  return markup`<section class="card secret" aria-label="New credentials">
<h2>Credentials ${foreign(name)} were created</h2>
<p>Copy the client secret now: this page shows it only once.</p>
${copyField('Client ID', `id-${clientId}`, clientId)}
${copyField('Client secret', `secret-${clientId}`, clientSecret, markup` autofocus`)}
</section>`
}

function copyField(label: string, id: string, value: string, focus?: Markup): Markup {
  return markup`<div class="copy"><label class="field">${label}<input id="${id}" readonly${focus} value="${value}"></label><button type="button" data-copy="${id}" hidden>Copy<span class="unseen"> ${label}</span></button><span role="status"></span></div>`
}

function credentialsTable(all: readonly Credentials[], href: string, now: number): Markup {
  const columns = [
    { title: 'Name' },
    { title: 'Client ID' },
    { title: 'Scopes' },
    { title: 'API version' },
    { title: 'Expires' },
    { title: 'Delete' },
  ]
  const rows = all.map((credentials): Part[] => [
    foreign(credentials.name),
    markup`<span class="code">${credentials.clientId}</span>`,
    markup`<span class="code scopes">${credentials.scopes.join(' ')}</span>`,
    credentials.apiVersion,
    expiry(credentials, now),
    deletion(credentials, href),
  ])
  return table({ caption: title, columns, empty: 'There are no credentials yet.' }, rows)
}

function expiry(credentials: Credentials, now: number): Part {
  const { expirationDate } = credentials
  if (expirationDate === undefined) return 'never'
  const expired = isExpired(credentials, now) ? markup` <span class="tag">expired</span>` : ''
  return [calendarDay(expirationDate), expired]
}

function formPage(platform: Platform, level: Level, entry: CredentialsEntry): string {
  credentialsAt(platform, level)
  const href = address.credentials(level)
  return page({
    title: newTitle,
    styles: ['form', 'credentials'],
    path: [...pathToLevel(platform, level), { name: title, href }],
    content: markup`<div class="card narrow">${problems(entry.faults)}${credentialsForm(href, entry)}</div>`,
  })
}

function pathToLevel(platform: Platform, { org, project }: Level): { name: string; href: string }[] {
  if (project === undefined) return pathToOrganization(org)
  const place = { org, project }
  return pathToProject(projectAt(platform, place), place)
}

/** The entries, to be shown again with the mistakes. */
interface CredentialsEntry {
  faults: string[]
  name: string
  expirationDate: string
  apiVersion: string
  scopes: string[]
}

const emptyEntry: CredentialsEntry = {
  ...{ faults: [], name: '', expirationDate: '', apiVersion: 'v2', scopes: [] },
}

/** The scopes of a step that uploads a test suite, runs it and judges its report. */
const actionScopes: readonly Scope[] = [
  'LOADTEST_LIST',
  'LOADTEST_STATUS',
  'LOADTEST_DETAILS',
  'LOADTEST_COPY_RUN',
  'LOADTEST_REPORT_DOWNLOAD',
  'CODEARCHIVE_UPLOAD',
]

/** All faults at once. `today` is `YYYY-MM-DD`. */
function readCredentials(form: Form, today: string): CredentialsEntry {
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
function wishOf(entry: CredentialsEntry, level: { organization: string; project?: string }): CredentialsWish {
  const { name, expirationDate, apiVersion } = entry
  return {
    ...level,
    name,
    scopes: [...new Set(entry.scopes.filter(isScope))],
    apiVersion: isVersion(apiVersion) ? apiVersion : 'v2',
    ...(expirationDate === '' ? {} : { expirationDate }),
  }
}

function credentialsForm(action: string, entry: CredentialsEntry): Markup {
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
<fieldset><legend>Scopes</legend><p class="preset"><a class="button" href="${action}/new?scopes=action">What this action needs</a></p>${boxes}</fieldset>
<div class="buttons"><button class="main">Create</button><a class="button" href="${action}">Cancel</a></div>
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

/** Asks before they are deleted, without a script. */
function deletion({ name, clientId }: Credentials, href: string): Markup {
  return markup`<details class="deletion"><summary>Delete<span class="unseen"> ${foreign(name)}</span></summary>
<form method="post" action="${href}/${clientId}/delete"><p>Their tokens stop working at once.</p><button class="danger">Delete for good</button></form></details>`
}
