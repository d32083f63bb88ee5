import { createHash } from 'node:crypto'
import { serialize } from 'node:v8'
import { errors } from '@payments/kernel'
import { JobEnded, Shared, threadPool } from '@payments/threads'
import { recorded } from './commands.ts'
import type { Pdf, PdfInfo, PdfOrder } from './document.ts'
import type { PdfPage } from './page.ts'

/** For whom a document is made. */
export interface PdfRequest {
  /** The organisation whose document it is: of each, one is made at a time. */
  readonly owner: string
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined
}

const MEGABYTE = 2 ** 20

/** Documents that were made are kept up to this size in all, and this long. */
const KEPT = { bytes: 16 * MEGABYTE, ms: 600_000 }
/** When one that took too long may be asked for again. */
const RETRY_SECONDS = 60

const threads = threadPool<PdfOrder, Pdf>({
  name: 'documents',
  program: new URL('./thread.mjs', import.meta.url),
  threads: 2,
  waiting: 100,
  waitingOfOwner: 20,
  deadlineMs: 10_000,
  mostMs: 30_000,
  abandonedMs: 1000,
  memoryMb: 256,
  idleMs: 60_000,
})

const made = new Shared<Pdf>({
  ...KEPT,
  sizeOf: ({ file }) => file.length,
})

/**
 * A document, made in a thread: see {@link make}. One that says the same in every respect is made once: it is known by all that is written on
 * it, so a change of its object, its language or its logo makes another one. Those who ask for it meanwhile wait for the same one.
 * @returns the file, and the characters that were replaced
 * @throws busy 503 when too many documents wait or it takes too long, and the reason of the signal
 */
export async function pdf(info: PdfInfo, write: (page: PdfPage) => void, { owner, signal }: PdfRequest): Promise<Pdf> {
  const order: PdfOrder = { info, commands: recorded(write) }
  // Of one organisation, so that no other can tell by the time whether it was made.
  const key = createHash('sha256')
    .update(serialize([owner, order]))
    .digest('base64')
  try {
    return await made.get(key, (whileWanted) => threads.run(owner, order, whileWanted), signal)
  } catch (error) {
    if (error instanceof JobEnded) throw errors.busy({ retryAfter: RETRY_SECONDS, cause: error })
    throw error
  }
}
