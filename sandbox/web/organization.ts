import type { FastifyInstance } from 'fastify'
import type { Platform } from '../service/platform.js'
import { address } from './address.js'
import { markup } from './markup.js'
import type { Picture } from './picture.js'
import { pictureForm, pictureImage, pictureRoutes, type OwnerPlace, type Pictures } from './picture-routes.js'
import { organizationAt } from './place.js'
import { projectTable } from './project-table.js'
import { page, section } from './shell.js'

/** An organization: its projects, its credentials, its logo. */
export function organizationRoutes(
  app: FastifyInstance,
  platform: Platform,
  pictures: Pictures,
  standIn: Picture,
): void {
  const show = ({ org }: OwnerPlace, faults: readonly string[]) => {
    const organization = organizationAt(platform, org)
    const entries = [...organization.projects.values()].map((project) => ({ organization, project }))
    return page({
      title: org,
      styles: ['state', 'table', 'form', 'picture'],
      path: [{ name: 'Home', href: '/' }],
      picture: pictureImage(address.logo(org), 48),
      actions: markup`<a class="button" href="${address.integrations({ org })}">Integrations</a>`,
      content: [
        section('Projects', projectTable('Projects of the organization', entries, platform.now(), false)),
        section('Logo', pictureForm('logo', address.logo(org), pictures.has(organization), faults)),
      ],
    })
  }
  app.get<{ Params: OwnerPlace }>('/orgs/:org', (request, reply) => reply.send(show(request.params, [])))
  pictureRoutes(app, pictures, {
    url: '/orgs/:org/logo',
    standIn,
    ownerAt: ({ org }) => organizationAt(platform, org),
    show,
    href: ({ org }) => address.organization(org),
  })
}
