import { Readable } from 'node:stream'
import { type CompleteList, type ConcurrencyLimit, inTurn, type QueryContext, success } from '@payments/platform'
import { z } from 'zod'

/**
 * A complete list in its envelope: one text if it fits a page, otherwise a stream that reads the next page when the client
 * has received the previous one. The stream ends when the client disconnects.
 * Each page is read within the organisation's limit, so that a slow reader occupies nothing between pages; those behind the first
 * take turns with the pages of other long replies.
 */
export async function listing(
  message: string,
  list: CompleteList,
  context: QueryContext,
  limit: ConcurrencyLimit,
): Promise<string | Readable> {
  const pages = list.read(context)[Symbol.asyncIterator]()
  const items = z.array(list.item)
  const next = async () => {
    const page = await pages.next()
    return page.done ? undefined : items.parse(page.value)
  }
  const nextText = () =>
    limit.run(context.actor, () =>
      inTurn(async () => {
        const page = await next()
        return page && { length: page.length, text: JSON.stringify(page).slice(1, -1) }
      }),
    )
  const first = (await limit.run(context.actor, next)) ?? []
  const second = await nextText()
  if (!second) return success(message, { [list.name]: first, total: first.length })

  async function* texts(): AsyncGenerator<string> {
    let total = first.length
    try {
      yield `{"status":"success","message":${JSON.stringify(message)},"data":{"${list.name}":[${JSON.stringify(first).slice(1, -1)}`
      for (let page = second; page; page = await nextText()) {
        if (page.length > 0) yield `,${page.text}`
        total += page.length
      }
      yield `],"total":${total}}}`
    } finally {
      await pages.return?.()
    }
  }
  return Readable.from(texts())
}
