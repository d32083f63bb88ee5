import type { Environment } from '../api.ts'

/** The address of a file that the API makes, for a link. */
export function fileAddress(
  path: string,
  environment: Environment,
  query: Readonly<Record<string, string>> = {},
): string {
  return `/dashboard/api/files${path}?${new URLSearchParams({ ...query, environment })}`
}

/** Has the browser save a text, whose parts follow one another, as a file of a media type. */
export function saveText(name: string, type: string, parts: string[]): void {
  const address = URL.createObjectURL(new Blob(parts, { type }))
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/**
 * Reads a file that is asked for with a body and saves it, while `progress` hears how many lines have arrived.
 * @throws Error with the message of the service
 */
export async function saveFile(
  path: string,
  {
    environment,
    body,
    name,
    progress,
  }: { environment: Environment; body: object; name: string; progress: (lines: number) => void },
  signal: AbortSignal,
): Promise<void> {
  const reply = await fetch(fileAddress(path, environment), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  if (!reply.ok || !reply.body) {
    const answer = (await reply.json().catch(() => ({}))) as { message?: string }
    throw new Error(answer.message ?? 'The file could not be made')
  }
  const parts: string[] = []
  let lines = 0
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value)
    lines += next.value.split('\r\n').length - 1
    progress(lines)
  }
  saveText(name, 'text/csv', parts)
}
