import type { FastifyInstance } from 'fastify'
import { isExpired, isScope, scopes, type Credentials, type Scope } from '../service/credentials.js'
import type { Platform } from '../service/platform.js'
import { address } from './address.js'
import { Form } from './form.js'
import { calendarDay, foreign, markup, type Markup, type Part } from './markup.js'
import { home, organizationAt, pathToProject, projectAt } from './place.js'
import { page, problems } from './shell.js'
import { table } from './table.js'

/** What credentials belong to: an organization, or one of its projects. */
interface Level {
  org: string
  project?: string
}

/** The entries of a form, to be shown again with the mistakes. */
interface Entry {
  faults: string[]
  name: string
  scopes: readonly string[]
}

const title = 'API Client Credentials'

/** The scopes of a step that uploads a test suite, runs it and judges its report. */
const actionScopes: readonly Scope[] = [
  'LOADTEST_LIST',
  'LOADTEST_STATUS',
  'LOADTEST_DETAILS',
  'LOADTEST_COPY_RUN',
  'LOADTEST_REPORT_DOWNLOAD',
  'CODEARCHIVE_UPLOAD',
]

/** Creating and listing credentials of an organization and of a project. */
export function credentialsRoutes(app: FastifyInstance, platform: Platform): void {
  for (const place of ['/orgs/:org', '/orgs/:org/projects/:project']) {
    const url = `${place}/credentials`
    app.get<{ Params: Level }>(url, (request, reply) =>
      reply.send(listPage(platform, request.params, undefined)),
    )

    app.get<{ Params: Level; Querystring: { scopes?: unknown } }>(`${url}/new`, (request, reply) => {
      const chosen = request.query.scopes === 'action' ? actionScopes : []
      return reply.send(formPage(platform, request.params, { faults: [], name: '', scopes: chosen }))
    })

    app.post<{ Params: Level }>(url, (request, reply) => {
      const { org: organization, project } = request.params
      credentialsAt(platform, request.params)
      const entry = readEntry(new Form(request.body))
      const { name, faults } = entry
      if (faults.length > 0) return reply.code(400).send(formPage(platform, request.params, entry))
      const made = platform.addCredentials({
        ...{ organization, name, scopes: [...new Set(entry.scopes.filter(isScope))], apiVersion: 'v2' },
        ...(project === undefined ? {} : { project }),
      })
      return reply.code(201).send(listPage(platform, request.params, made))
    })
  }
}

/** @throws Failure 404 */
function credentialsAt(platform: Platform, { org, project }: Level): Credentials[] {
  if (project === undefined) organizationAt(platform, org)
  else projectAt(platform, { org, project })
  return platform.world.credentials.filter((one) => one.organization === org && one.project === project)
}

/** @param made those whose secret is shown, this once */
function listPage(platform: Platform, level: Level, made: Credentials | undefined): string {
  const rows = credentialsAt(platform, level).map((one): Part[] => [
    foreign(one.name),
    markup`<span class="code">${one.clientId}</span>`,
    markup`<span class="code scopes">${one.scopes.join(' ')}</span>`,
    expiry(one, platform.now()),
  ])
  const columns = [{ title: 'Name' }, { title: 'Client ID' }, { title: 'Scopes' }, { title: 'Expires' }]
  return page({
    title,
    styles: ['table', 'form', 'credentials'],
    scripts: made ? ['copy'] : [],
    path: pathToLevel(platform, level),
    actions: markup`<a class="button main" href="${address.credentials(level)}/new">Add</a>`,
    content: [
      made && secret(made),
      table({ caption: title, columns, empty: 'There are no credentials yet.' }, rows),
    ],
  })
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

function expiry(credentials: Credentials, now: number): Part {
  const { expirationDate } = credentials
  if (expirationDate === undefined) return 'never'
  const expired = isExpired(credentials, now) ? markup` <span class="tag">expired</span>` : ''
  return [calendarDay(expirationDate), expired]
}

function pathToLevel(platform: Platform, { org, project }: Level): { name: string; href: string }[] {
  if (project === undefined) return [home]
  const place = { org, project }
  return pathToProject(projectAt(platform, place), place)
}

function readEntry(form: Form): Entry {
  const entry = { name: form.text('name'), scopes: form.all('scope') }
  const faults = [
    ...(entry.name === '' || entry.name.length > 100 ? ['Enter a name of at most 100 characters.'] : []),
    ...(entry.scopes.length > 0 && entry.scopes.every(isScope) ? [] : ['Choose at least one scope.']),
  ]
  return { ...entry, faults }
}

function formPage(platform: Platform, level: Level, entry: Entry): string {
  credentialsAt(platform, level)
  const href = address.credentials(level)
  const boxes = Object.entries(scopes).map(
    ([scope, purpose]) =>
      markup`<label class="check"><input type="checkbox" name="scope" value="${scope}"${entry.scopes.includes(scope) ? markup` checked` : ''}><span><span class="code">${scope}</span><br><span class="quiet">${purpose}</span></span></label>`,
  )
  return page({
    title: 'Add API Client Credentials',
    styles: ['form', 'credentials'],
    path: [...pathToLevel(platform, level), { name: title, href }],
    content: markup`<div class="card narrow">${problems(entry.faults)}<form method="post" action="${href}">
<label class="field">Name<input name="name" required maxlength="100" autocomplete="off" value="${entry.name}"></label>
<fieldset><legend>Scopes</legend><p class="preset"><a class="button" href="${href}/new?scopes=action">What this action needs</a></p>${boxes}</fieldset>
<div class="buttons"><button class="main">Create</button><a class="button" href="${href}">Cancel</a></div>
</form></div>`,
  })
}
