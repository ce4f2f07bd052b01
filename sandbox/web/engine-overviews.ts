import { createReadStream, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { OverviewKind } from '../engine/generators.js'
import { notFound } from '../service/failure.js'
import type { LoadTest, Work } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import type { Place } from '../service/visit.js'
import type { Project } from '../service/world.js'
import { address } from './address.js'
import { markup, moment, type Part } from './markup.js'
import { projectAt, reportedLoadTests } from './place.js'
import { ProjectReports } from './project-reports.js'
import { table } from './table.js'

/** A report over several others, made by the engine's own generator. */
interface EngineOverview {
  /** Unique in its project. */
  number: number
  kind: OverviewKind
  /** Of the load tests, the baseline or the oldest first. */
  of: number[]
  createdAt: number
  folder: string
}

const url = '/orgs/:org/projects/:project/engine-reports'
const names: Record<OverviewKind, string> = { comparison: 'Comparison report', trend: 'Trend report' }

/** Comparison and trend reports over the engine's reports, made by its own generators. */
export class EngineOverviews {
  readonly #made = new ProjectReports<EngineOverview>('report by the engine')

  constructor(private readonly platform: Platform) {}

  routes(app: FastifyInstance): void {
    app.post<{ Params: Place; Querystring: { of?: unknown } }>(url, async (request, reply) => {
      const project = projectAt(this.platform, request.params)
      const written = this.#written(project)
      const wanted =
        typeof request.query.of === 'string' ? request.query.of.split('-').map(Number) : undefined
      const chosen = wanted
        ? wanted.flatMap((number) => written.find((one) => one.number === number) ?? [])
        : written
      const { number } = await this.#make(project, wanted ? 'comparison' : 'trend', chosen)
      return reply.redirect(`${address.engineReports(request.params)}/${number}/index.html`, 303)
    })

    app.get<{ Params: Place & { number: string; '*': string } }>(`${url}/:number/*`, (request, reply) => {
      const { number, '*': name } = request.params
      return sendPage(reply, this.#made.get(projectAt(this.platform, request.params), number).folder, name)
    })
  }

  /** The button that compares these two, if the engine wrote both. */
  comparisonButton(project: Project, baseline: number, measurement: number, place: Place): Part {
    const numbers = this.#written(project).map(({ number }) => number)
    if (!numbers.includes(baseline) || !numbers.includes(measurement)) return undefined
    return markup`<form method="post" action="${address.engineReports(place)}?of=${baseline}-${measurement}"><button>Comparison report by the engine</button></form>`
  }

  /** The button that makes a trend of all its reports. */
  trendButton(project: Project, place: Place): Part {
    if (this.#written(project).length < 2) return undefined
    return markup`<form method="post" action="${address.engineReports(place)}"><button>Trend report by the engine</button></form>`
  }

  /** The reports that were made. */
  table(project: Project, place: Place): Part {
    const made = this.#made.of(project)
    if (made.length === 0) return undefined
    const columns = [{ title: 'By the engine' }, { title: 'Load tests' }, { title: 'Created' }]
    const rows = made
      .toReversed()
      .map(({ number, kind, of, createdAt }) => [
        markup`<a href="${address.engineReports(place)}/${number}/index.html">${names[kind]} ${number}</a>`,
        of.map((one) => `#${one}`).join(', '),
        moment(createdAt),
      ])
    return table({ caption: 'Reports by the engine, the newest first', columns, empty: '' }, rows)
  }

  async #make(project: Project, kind: OverviewKind, chosen: readonly EngineRun[]): Promise<EngineOverview> {
    const folder = await this.platform.overview(
      kind,
      chosen.map(({ work }) => work),
    )
    const [of, createdAt] = [chosen.map(({ number }) => number), this.platform.now()]
    return this.#made.add(project, (number) => ({ number, kind, of, createdAt, folder }))
  }

  /** The oldest first. */
  #written(project: Project): EngineRun[] {
    return reportedLoadTests(project, this.platform.now())
      .toReversed()
      .flatMap(({ number, run: { work } }) => (work ? [{ number, work }] : []))
  }
}

type EngineRun = Pick<LoadTest, 'number'> & { work: Work }

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
}

/** A file of the engine's report, unchanged. Its scripts may run, but apart from the sandbox's own pages. */
function sendPage(reply: FastifyReply, folder: string, name: string): FastifyReply {
  const file = path.join(folder, path.normalize(`/${name}`))
  const type = types[path.extname(file)]
  if (type === undefined || !existsSync(file) || !statSync(file).isFile()) {
    throw notFound('The report has no such file.')
  }
  return reply
    .headers({
      'content-security-policy':
        "sandbox allow-scripts; default-src 'self' 'unsafe-inline' 'unsafe-eval' data:",
      'cross-origin-resource-policy': 'cross-origin',
    })
    .type(type)
    .send(createReadStream(file))
}
