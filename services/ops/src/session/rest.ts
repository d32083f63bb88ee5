import { RequestError } from '../failures.ts'

/** A request to the service itself, outside tRPC. Returns the parsed body. @throws RequestError */
export async function request(
  base: string,
  line: `${'GET' | 'POST'} /${string}`,
  body?: object,
): Promise<Record<string, unknown>> {
  const [method, path] = line.split(' ') as [string, string]
  const response = await fetch(`${base}${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  }).catch((error: Error & { cause?: { message?: string; code?: string } }) => {
    const reason = error.cause?.message || error.cause?.code || error.message
    throw new RequestError(0, `The service at ${base} cannot be reached (${reason})`, {})
  })
  const reply = (await response.json().catch(() => undefined)) as
    | { message?: string; errors?: Record<string, string> }
    | undefined
  if (!response.ok || reply === undefined)
    throw new RequestError(
      response.status,
      reply?.message ?? `${base}${path} answers with status ${response.status}: is it this service?`,
      reply?.errors ?? {},
    )
  return reply
}
