import { Readable } from 'node:stream'
import type { Listing, Read } from '@payments/kernel'
import { z } from 'zod'
import { success } from './envelope.ts'

/**
 * A complete list in its envelope: one text where it fits a page, else a stream that reads the next page when the client
 * has taken the one before. A client that leaves ends the reading.
 */
export async function listed(message: string, listing: Listing, read: Read): Promise<string | Readable> {
  const pages = listing.pages(read)[Symbol.asyncIterator]()
  const items = z.array(listing.item)
  const next = async () => {
    const page = await pages.next()
    return page.done ? undefined : items.parse(page.value)
  }
  const first = (await next()) ?? []
  const second = await next()
  if (!second) return success(message, { [listing.name]: first, total: first.length })

  async function* texts(): AsyncGenerator<string> {
    let total = 0
    yield `{"status":"success","message":${JSON.stringify(message)},"data":{"${listing.name}":[`
    for (let page: unknown[] | undefined = first; page; page = page === first ? second : await next()) {
      if (page.length > 0) yield `${total > 0 ? ',' : ''}${JSON.stringify(page).slice(1, -1)}`
      total += page.length
    }
    yield `],"total":${total}}}`
  }
  return Readable.from(texts())
}
