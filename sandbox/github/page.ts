import type { FastifyReply, FastifyRequest } from 'fastify'

export interface PageQuery {
  per_page?: string
  page?: string
}

/**
 * One page of a list: 30 items unless `per_page` differs, at most 100. The `link` header names the neighbouring
 * pages, for octokit's paginate.
 */
export function page<Item>(
  request: FastifyRequest<{ Querystring: PageQuery }>,
  reply: FastifyReply,
  origin: string,
  items: readonly Item[],
): Item[] {
  const size = Math.min(whole(request.query.per_page, 30), 100)
  const current = whole(request.query.page, 1)
  const last = Math.max(Math.ceil(items.length / size), 1)
  const links = [
    ...(current > 1 ? [link(Math.min(current - 1, last), 'prev')] : []),
    ...(current < last ? [link(current + 1, 'next'), link(last, 'last')] : []),
    ...(current > 1 ? [link(1, 'first')] : []),
  ]
  if (links.length > 0) void reply.header('link', links.join(', '))
  return items.slice((current - 1) * size, current * size)

  function link(target: number, rel: string): string {
    const url = new URL(request.url, origin)
    url.searchParams.set('page', String(target))
    return `<${url.href}>; rel="${rel}"`
  }
}

/** Like GitHub, ignores anything but a whole number above 0. */
function whole(text: string | undefined, otherwise: number): number {
  const number = Number(text)
  return Number.isInteger(number) && number > 0 ? number : otherwise
}
