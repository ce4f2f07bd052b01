import { sep } from 'node:path'

export type AnnotationKind = 'error' | 'warning' | 'notice'

/** What the run's page shows for a step. Lines and columns count from 1. */
export interface Annotation {
  kind: AnnotationKind
  message: string
  title?: string
  /** Relative to the workspace if it is in there. */
  file?: string
  line?: number
  endLine?: number
  column?: number
  endColumn?: number
}

type Place = Pick<Annotation, 'line' | 'endLine' | 'column' | 'endColumn'>

/** The maximum number of annotations of one kind for a step; further ones are only in the log. */
export const MAX_ANNOTATIONS_PER_KIND = 10

/** Longer messages are cut, in characters. */
export const MAX_ANNOTATION_MESSAGE = 4096

/**
 * The annotation of an `::error::`, `::warning::` or `::notice::`. Contradictory places are corrected or dropped,
 * each with a debug line.
 */
export function annotationOf(
  kind: AnnotationKind,
  message: string,
  properties: ReadonlyMap<string, string>,
  workspace: string,
  debug: (text: string) => void,
): Annotation {
  const annotation: Annotation = { kind, message, ...placeOf(kind, properties, debug) }
  const title = properties.get('title')
  const file = properties.get('file')
  if (title !== undefined) annotation.title = title
  if (file !== undefined) annotation.file = relativeTo(workspace, file)
  return annotation
}

function placeOf(
  kind: string,
  properties: ReadonlyMap<string, string>,
  debug: (text: string) => void,
): Place {
  let line = wholeNumber(properties.get('line'))
  let endLine = wholeNumber(properties.get('endline'))
  let column = wholeNumber(properties.get('col'))
  let endColumn = wholeNumber(properties.get('endcolumn'))
  const mend = (fault: string) => debug(`Invalid ${kind} command value. ${fault}`)

  if (endLine !== undefined && line === undefined) {
    mend("'endLine' needs 'line'.")
    line = endLine
  }
  if (endColumn !== undefined && column === undefined) {
    mend("'endColumn' needs 'col'.")
    column = endColumn
  }
  if (line === undefined && column !== undefined) {
    mend("'col' and 'endColumn' need 'line'.")
    column = endColumn = undefined
  }
  if (endLine !== undefined && endLine !== line && column !== undefined) {
    mend("'col' and 'endColumn' cannot be set when 'line' and 'endLine' differ.")
    column = endColumn = undefined
  }
  if (line !== undefined && endLine !== undefined && endLine < line) {
    mend("'endLine' cannot be less than 'line'.")
    line = endLine = undefined
  }
  if (column !== undefined && endColumn !== undefined && endColumn < column) {
    mend("'endColumn' cannot be less than 'col'.")
    column = endColumn = undefined
  }
  return {
    ...(line === undefined ? {} : { line }),
    ...(endLine === undefined ? {} : { endLine }),
    ...(column === undefined ? {} : { column }),
    ...(endColumn === undefined ? {} : { endColumn }),
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : undefined
}

function relativeTo(workspace: string, file: string): string {
  const folder = workspace.endsWith(sep) ? workspace : workspace + sep
  return file.startsWith(folder) ? file.slice(folder.length) : file
}
