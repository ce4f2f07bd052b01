/**
 * The JSON schemas of requests and answers. Fastify validates requests with them, and the OpenAPI document is made
 * from them. Those with an `$id` are shared.
 */

const milliseconds = { type: 'integer', description: 'UTC milliseconds, 0 when not started or not finished' }

export const sharedSchemas = [
  {
    $id: 'ExecutionState',
    type: 'object',
    properties: {
      state: {
        type: 'string',
        description:
          'NEW, SCHEDULED, PROVISIONING, STARTING, RUNNING, STOPPING, DEPROVISIONING, FINISHED, ABORTED or ERROR',
      },
      startTime: milliseconds,
      endTime: milliseconds,
      message: { type: 'string', description: 'Why the load test ended in ERROR' },
    },
    required: ['state', 'startTime', 'endTime'],
  },
  {
    $id: 'File',
    type: 'object',
    properties: { number: { type: 'integer' }, label: { type: 'string' } },
    required: ['number', 'label'],
  },
  {
    $id: 'LoadTest',
    type: 'object',
    properties: {
      index: { type: 'integer', description: 'The number of the load test' },
      name: { type: 'string' },
      description: { type: 'string' },
      executionEnvironment: { type: 'string', enum: ['6.x', '9.x', '10.x'] },
      executionState: { $ref: 'ExecutionState#' },
      source: {
        type: 'object',
        properties: {
          useLatest: { type: 'boolean', description: 'Takes the most recent code archive' },
          codeArchiveId: { type: 'string' },
          codeArchiveEnabled: { type: 'boolean', description: 'It takes precedence over the repository' },
          git: {
            type: 'object',
            properties: { url: { type: 'string' }, branch: { type: 'string' } },
            required: ['url', 'branch'],
          },
        },
        required: ['useLatest'],
      },
      url: { type: 'string', description: 'The page of the load test' },
      reports: { type: 'array', items: { $ref: 'File#' } },
      results: { type: 'array', items: { $ref: 'File#' } },
    },
    required: ['index', 'name', 'description', 'executionEnvironment', 'executionState', 'source'],
  },
  {
    $id: 'CodeArchive',
    type: 'object',
    properties: {
      id: { type: 'string' },
      fileName: { type: 'string' },
      size: { type: 'integer', description: 'Bytes' },
      sha512: { type: 'string', description: 'Hexadecimal' },
      uploadedAt: { type: 'integer', description: 'UTC milliseconds' },
    },
    required: ['id', 'fileName', 'size', 'sha512', 'uploadedAt'],
  },
  {
    $id: 'Failure',
    type: 'object',
    properties: {
      success: { type: 'boolean', enum: [false] },
      code: { type: 'string' },
      message: { type: 'string' },
    },
    required: ['success', 'code', 'message'],
  },
  {
    $id: 'TokenFailure',
    type: 'object',
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
    required: ['error', 'error_description'],
  },
]

const shortName = { type: 'string', minLength: 1, maxLength: 100 }
const number = { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 }
const known: Record<string, object> = {
  org: { ...shortName, description: 'Short name of the organization' },
  project: { ...shortName, description: 'Short name of the project' },
  loadTestNumber: number,
  reportNumber: number,
  resultNumber: number,
  codeArchiveId: shortName,
}

/** The parameters of a path: organization, project and `names`. */
export function pathParameters(...names: string[]): object {
  const all = ['org', 'project', ...names]
  return {
    type: 'object',
    properties: Object.fromEntries(all.map((name) => [name, known[name] ?? shortName])),
    required: all,
  }
}

export const loadTest = { $ref: 'LoadTest#' }
export const loadTests = { type: 'array', items: loadTest }
export const status = {
  type: 'object',
  properties: {
    index: { type: 'integer' },
    executionState: { $ref: 'ExecutionState#' },
    revision: { type: 'string', description: 'What the run was built from' },
  },
  required: ['index', 'executionState'],
}
export const codeArchive = { $ref: 'CodeArchive#' }

/** A refusal of an operation, by its status. */
export function failure(description: string): object {
  return { description, content: { 'application/json': { schema: { $ref: 'Failure#' } } } }
}

/** An answer with these media types, in addition to the failures of every operation. */
export function answers(code: number, description: string, content: Record<string, object>): object {
  return {
    [code]: {
      description,
      ...(Object.keys(content).length > 0
        ? {
            content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
          }
        : { type: 'null' }),
    },
    400: failure('The request is invalid'),
    401: failure('The access token is missing, invalid or expired'),
    403: failure('The credentials are not valid here, or the token lacks the scope'),
    404: failure('Not found'),
  }
}

export const binary = { type: 'string', format: 'binary' }
export const json = (schema: object): Record<string, object> => ({ 'application/json': schema })
