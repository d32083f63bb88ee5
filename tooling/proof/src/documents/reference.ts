export type Json = Readonly<Record<string, unknown>>

/** One operation as the reference shows it. */
export interface Example {
  /** Of the document, such as `/customers/{customerId}`. */
  readonly path: string
  readonly method: string
  /** As it is sent: with the examples of path and query. */
  readonly line: string
  readonly status: number
  readonly body: unknown
  readonly reply: unknown
  /** Sent with the session of a user: no API key may. */
  readonly session: boolean
}

/** The part of a document that requests are read from. */
export type Paths = { readonly paths: Record<string, Record<string, Json>> }
const ofContent = (part: Json | undefined, type = 'application/json'): unknown =>
  ((part?.content as Json | undefined)?.[type] as Json | undefined)?.example

/** Each operation of a document as the reference shows it: with the examples of its path, query and body, and of its reply. */
export const examplesOf = ({ paths }: Paths): Example[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'post', 'patch', 'delete'].flatMap((method) => {
      const operation = item[method]
      if (!operation || path === '/health') return []
      const { parameters, requestBody, responses, security } = operation as {
        responses: Record<string, Json>
        security: readonly Json[]
      } & Json
      const [status = ''] = Object.keys(responses)
      // A stream has no end.
      if ('text/event-stream' in ((responses[status]?.content ?? {}) as Json)) return []
      const given = ((parameters ?? []) as { name: string; in: string; example?: unknown; schema: Json }[]).map(
        (each) => ({
          ...each,
          example: each.example ?? each.schema.example,
        }),
      )
      const inPath = (name: string) => String(given.find((each) => each.in === 'path' && each.name === name)?.example)
      const query = given.flatMap((each) =>
        each.in === 'query' && each.example !== undefined ? [[each.name, String(each.example)]] : [],
      )
      const search = new URLSearchParams(query as [string, string][]).toString()
      const line = `${method.toUpperCase()} /v1${path.replace(/\{(\w+)\}/g, (_all, name) => inPath(name))}${search ? `?${search}` : ''}`
      const reply = (ofContent(responses[status]) as Json | undefined)?.data
      const session = !security.some((each) => 'apiKey' in each)
      return { path, method, line, status: Number(status), body: ofContent(requestBody as Json), reply, session }
    }),
  )
