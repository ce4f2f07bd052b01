import { notFound } from '../service/failure.js'
import type { Project } from '../service/world.js'

/** Reports that people make of several reports, by their project. They live as long as the service. */
export class ProjectReports<R extends { number: number }> {
  readonly #shelves = new WeakMap<Project, { last: number; reports: R[] }>()

  /** @param kind what one of them is called, such as `comparison report` */
  constructor(private readonly kind: string) {}

  /** The oldest first. */
  of(project: Project): readonly R[] {
    return this.#shelf(project).reports
  }

  /** @throws Failure 404 */
  get(project: Project, number: string): R {
    const found = this.of(project).find((report) => String(report.number) === number)
    if (!found) throw notFound(`Project ${project.shortName} has no ${this.kind} ${number}.`)
    return found
  }

  /** Numbers are never reused, so that an address never leads to another report. */
  add(project: Project, make: (number: number) => R): R {
    const shelf = this.#shelf(project)
    const report = make(++shelf.last)
    shelf.reports.push(report)
    return report
  }

  /** @throws Failure 404 */
  delete(project: Project, number: string): void {
    const { reports } = this.#shelf(project)
    reports.splice(reports.indexOf(this.get(project, number)), 1)
  }

  #shelf(project: Project): { last: number; reports: R[] } {
    const known = this.#shelves.get(project) ?? { last: 0, reports: [] }
    this.#shelves.set(project, known)
    return known
  }
}
