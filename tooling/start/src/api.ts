import { randomUUID } from 'node:crypto'

/** Prints one line. */
export const step = (what: string, detail: string): void =>
  void process.stdout.write(`✓ ${what}${detail ? `: ${detail}` : ''}\n`)

export function fail(message: string): never {
  throw new Error(message)
}

/**
 * One request to the API; returns `data` of the envelope.
 * @throws Error with the service's message when the request fails.
 */
export async function api(
  baseUrl: string,
  line: string,
  options: { token?: string; body?: object } = {},
  // biome-ignore lint/suspicious/noExplicitAny: the demo reads replies as a script would
): Promise<any> {
  const [method, path] = line.split(' ') as [string, string]
  const answer = await fetch(`${baseUrl}/v1${path}`, {
    method,
    headers: {
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...(options.body ? { 'content-type': 'application/json' } : {}),
      ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
    },
    ...(options.body ? { body: JSON.stringify(options.body) } : {}),
  })
  const { message, data, errors } = (await answer.json()) as { message: string; data: unknown; errors?: object }
  if (!answer.ok) fail(`${line}: ${answer.status} ${message}${errors ? ` ${JSON.stringify(errors)}` : ''}`)
  return data
}
