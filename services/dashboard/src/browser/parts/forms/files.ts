import type { Environment } from '../../api.ts'

/** The address of a file that the API makes, for a link. */
export function fileAddress(
  path: string,
  environment: Environment,
  query: Readonly<Record<string, string>> = {},
): string {
  return `/dashboard/api/files${path}?${new URLSearchParams({ ...query, environment })}`
}

/** Has the browser save a text, whose parts follow one another, as a file of a media type. */
export const saveText = (name: string, type: string, parts: string[]): void => saveBlob(name, new Blob(parts, { type }))

/** Has the browser save a file. */
export function saveBlob(name: string, file: Blob): void {
  const address = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** A file that could not be made. */
export class FileError extends Error {
  override name = 'FileError'
  /** What is wrong with each field of the body, by its dotted path; empty where something else is wrong. */
  readonly fields: Readonly<Record<string, string>>

  constructor({
    message = 'The file could not be made',
    errors = {},
  }: { message?: string; errors?: FileError['fields'] }) {
    super(message)
    this.fields = errors
  }
}

/**
 * Asks for a file, with a body where it needs one.
 * @throws FileError with the message of the service
 */
export async function requestFile(
  path: string,
  { environment, body }: { environment: Environment; body?: object },
  signal?: AbortSignal,
): Promise<Response> {
  const reply = await fetch(fileAddress(path, environment), {
    ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: signal ?? null,
  })
  if (!reply.ok) throw new FileError((await reply.json().catch(() => ({}))) as object)
  return reply
}

/**
 * Reads a file that is asked for with a body and saves it, while `progress` hears how many lines have arrived.
 * @throws FileError with the message of the service
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
  const reply = await requestFile(path, { environment, body }, signal)
  if (!reply.body) throw new FileError({})
  const parts: string[] = []
  let lines = 0
  // The byte order mark is for the program that opens the file.
  const reader = reply.body.pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true })).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value)
    lines += next.value.split('\r\n').length - 1
    progress(lines)
  }
  saveText(name, reply.headers.get('content-type') ?? 'text/csv', parts)
}
