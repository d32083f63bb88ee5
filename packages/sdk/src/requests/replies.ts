import { PaymentsError } from '../errors.ts'
import type { LastResponse, Result } from '../options.ts'

/** The reply of a list: its records under the name of the resource, and how many there are in total. */
export type ListReply<K extends string, T> = { [name in K]: T[] } & { total: number; next?: string | null }

/**
 * A list that is on its way: `await` gives the reply, `for await` its records. A list whose reply names a `next` position is read on from
 * there; the others have the newest 200 records, or all of them, and `total`.
 *
 * @example
 * const { total } = await payments.customers.list()
 * for await (const customer of payments.customers.list()) console.log(customer.email, total)
 */
export type List<K extends string, T> = Promise<Result<ListReply<K, T>>> & AsyncIterable<T>

/** Makes a list of its first reply, and of the function that reads on. */
export function listOf<K extends string, T>(
  key: K,
  first: Promise<Result<ListReply<K, T>>>,
  readOn: (before: string) => Promise<ListReply<K, T>>,
): List<K, T> {
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let reply: ListReply<K, T> = await first
      for (;;) {
        yield* reply[key]
        if (!reply.next) return
        reply = await readOn(reply.next)
      }
    },
  })
}

/** A file that is received piece by piece, such as an export. */
export class Download implements AsyncIterable<Uint8Array> {
  readonly lastResponse: LastResponse
  /** The bytes, to be read once. */
  readonly body: ReadableStream<Uint8Array>
  readonly #signal: AbortSignal | undefined

  constructor(body: ReadableStream<Uint8Array>, lastResponse: LastResponse, signal?: AbortSignal) {
    this.body = body
    this.lastResponse = lastResponse
    this.#signal = signal
  }

  /** The bytes as they arrive. @throws PaymentsError `connection_failed` where they end too early */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* chunksOf(this.body, this.#signal)
    } catch (cause) {
      this.#signal?.throwIfAborted()
      throw new PaymentsError('connection_failed', 'The file ended before it was complete', { cause })
    }
  }

  /** The whole file as text. */
  async text(): Promise<string> {
    let text = ''
    for await (const piece of textOf(this)) text += piece
    return text
  }

  /**
   * The rows of a CSV export, each by the names of its columns, however long the export is.
   *
   * @example
   * const file = await payments.transactions.export({ from: '2026-01-01T00:00:00Z' })
   * for await (const row of file.rows()) console.log(row.id, row.amount, row.status)
   */
  async *rows(): AsyncGenerator<Record<string, string>> {
    let names: string[] | undefined
    for await (const cells of cellsOf(textOf(this))) {
      if (names) yield Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
      else names = cells
    }
  }
}

/** The pieces of a stream, which is closed when nobody reads on or the signal is aborted. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const close = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', close)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', close)
    close()
  }
}

/** Text that arrives as bytes: a character may be cut in two. */
export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** CSV (RFC 4180), row by row. */
async function* cellsOf(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let [row, cell, quoted, afterQuote]: [string[], string, boolean, boolean] = [[], '', false, false]
  for await (const piece of pieces)
    for (const character of piece) {
      if (quoted && character !== '"') cell += character
      else if (character === '"') {
        // Two quotes in a quoted cell are one.
        if (!quoted && afterQuote) cell += character
        quoted = !quoted
        afterQuote = !quoted
        continue
      } else if (character === ',' || character === '\n') {
        row.push(cell)
        cell = ''
        if (character === '\n') {
          yield row
          row = []
        }
      } else if (character !== '\r') cell += character
      afterQuote = false
    }
  if (cell || row.length > 0) yield [...row, cell]
}
