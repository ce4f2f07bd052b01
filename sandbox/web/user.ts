import type { FastifyInstance } from 'fastify'
import { address } from './address.js'
import { markup } from './markup.js'
import type { Picture } from './picture.js'
import { pictureForm, pictureImage, pictureRoutes, type Pictures } from './picture-routes.js'
import { page, section } from './shell.js'

/** Whoever opens the pages: the sandbox has no login. */
const user = { name: 'Demo user' }

/** The profile of the user, with the avatar that the head of every page shows. */
export function userRoutes(app: FastifyInstance, pictures: Pictures, standIn: Picture): void {
  const show = (faults: readonly string[]) =>
    page({
      title: user.name,
      styles: ['form', 'picture'],
      path: [{ name: 'Home', href: '/' }],
      picture: pictureImage(address.avatar, 48),
      content: [
        markup`<p class="quiet">The sandbox has no login: everyone who opens its pages is this user.</p>`,
        section('Avatar', pictureForm('avatar', address.avatar, pictures.has(user), faults)),
      ],
    })
  app.get(address.user, (_request, reply) => reply.send(show([])))
  pictureRoutes(app, pictures, {
    url: address.avatar,
    standIn,
    ownerAt: () => user,
    show: (_params, faults) => show(faults),
    href: () => address.user,
  })
}
