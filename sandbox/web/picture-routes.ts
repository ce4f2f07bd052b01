import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../service/failure.js'
import { markup, type Markup } from './markup.js'
import { largestPicture, pictureHeaders, pictureRules, readPicture, type Picture } from './picture.js'
import { problems } from './shell.js'

/** The pictures that were uploaded, by the organization or user whom they show. */
export type Pictures = Map<object, Picture>

/** The names in its address; the user's has none. */
export interface OwnerPlace {
  org: string
}

/** A page of an owner. */
export interface PicturePage {
  /** Pattern of the picture's address. */
  url: string
  /** Shown if there is none. */
  standIn: Picture
  /** @throws Failure 404 */
  ownerAt: (params: OwnerPlace) => object
  /** The page with the form. */
  show: (params: OwnerPlace, faults: readonly string[]) => string
  /** The page's address. */
  href: (params: OwnerPlace) => string
}

/** Forms with a file, in a separate scope: no other page accepts files. */
export function takePictures(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    // Enough for a file that is too large, so that the page can say so.
    { parseAs: 'buffer', bodyLimit: 8 * largestPicture },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const type = headers['content-type'] ?? ''
      const form = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      return form.formData().catch(() => {
        throw badRequest('The form cannot be read. Send it again.')
      })
    },
  )
}

/** Showing, uploading and removing the picture of each owner. */
export function pictureRoutes(
  app: FastifyInstance,
  pictures: Pictures,
  { url, standIn, ownerAt, show, href }: PicturePage,
): void {
  app.get<{ Params: OwnerPlace }>(url, (request, reply) => {
    const picture = pictures.get(ownerAt(request.params)) ?? standIn
    return reply.headers(pictureHeaders(picture)).send(picture.bytes)
  })

  app.post<{ Params: OwnerPlace; Body: unknown }>(url, async ({ params, body }, reply) => {
    const owner = ownerAt(params)
    const entry = body instanceof FormData ? body.get('picture') : null
    const bytes = entry === null || typeof entry === 'string' ? [] : [await entry.arrayBuffer()]
    const picture = readPicture(Buffer.concat(bytes.map((one) => Buffer.from(one))))
    if ('fault' in picture) return reply.code(400).send(show(params, [picture.fault]))
    pictures.set(owner, picture)
    return reply.redirect(href(params), 303)
  })

  app.post<{ Params: OwnerPlace }>(`${url}/remove`, ({ params }, reply) => {
    pictures.delete(ownerAt(params))
    return reply.redirect(href(params), 303)
  })
}

/** @param noun such as `logo` */
export function pictureForm(
  noun: string,
  href: string,
  hasPicture: boolean,
  faults: readonly string[],
): Markup {
  const remove = hasPicture
    ? markup`<button formaction="${href}/remove" formenctype="application/x-www-form-urlencoded" formnovalidate>Remove ${noun}</button>`
    : ''
  return markup`<div class="card picture">${pictureImage(href, 96)}<div>${problems(faults)}
<form method="post" action="${href}" enctype="multipart/form-data">
<label class="field">Picture<input type="file" name="picture" required accept="image/png,image/jpeg,image/svg+xml" aria-describedby="${noun}-hint"></label>
<p class="hint" id="${noun}-hint">${pictureRules}</p>
<div class="buttons"><button>Upload ${noun}</button>${remove}</div></form></div></div>`
}

/** Next to its owner's name, so it needs no alternative text. */
export function pictureImage(href: string, side: number): Markup {
  return markup`<img class="portrait" src="${href}" alt="" width="${side}" height="${side}">`
}
