import { Readable } from 'node:stream'
import type { ConcurrencyLimit, Pages, QueryContext } from '@payments/platform'
import { z } from 'zod'
import { success } from './envelope.ts'

/**
 * A complete list in its envelope: one text if it fits a page, otherwise a stream that reads the next page when the client
 * has received the previous one. The stream ends when the client disconnects.
 * Each page is read within the organisation's limit, so that a slow reader occupies nothing between pages.
 */
export async function listing(
  message: string,
  list: Pages,
  context: QueryContext,
  limit: ConcurrencyLimit,
): Promise<string | Readable> {
  const pages = list.read(context)[Symbol.asyncIterator]()
  const items = z.array(list.item)
  const next = async () => {
    const page = await limit.run(context.actor, () => pages.next())
    return page.done ? undefined : items.parse(page.value)
  }
  const first = (await next()) ?? []
  const second = await next()
  if (!second) return success(message, { [list.name]: first, total: first.length })

  async function* texts(): AsyncGenerator<string> {
    let total = 0
    yield `{"status":"success","message":${JSON.stringify(message)},"data":{"${list.name}":[`
    for (let page: unknown[] | undefined = first; page; page = page === first ? second : await next()) {
      if (page.length > 0) yield `${total > 0 ? ',' : ''}${JSON.stringify(page).slice(1, -1)}`
      total += page.length
    }
    yield `],"total":${total}}}`
  }
  return Readable.from(texts())
}
