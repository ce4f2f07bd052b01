/**
 * Parts of the style, one file each; a page names those that it needs in addition to `frame`. If two conflict, the
 * later one in this list wins.
 */
export const styles = [
  ...(['frame', 'state', 'table', 'form', 'facts'] as const),
  ...(['credentials'] as const),
]
export type Style = (typeof styles)[number]

/** Scripts, one file each. Pages work without them. */
export const scripts = ['copy', 'live'] as const
export type Script = (typeof scripts)[number]
