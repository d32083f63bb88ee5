import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import { call, samples } from '@payments/stand'

/** What a client that creates customers one after the other has seen. */
export interface Load {
  /** Ids that were acknowledged. */
  readonly made: readonly string[]
  /** Requests without success, by the status of the reply, or by why there was none. */
  readonly refused: ReadonlyMap<number | string, number>
  /** The longest time without a success, ms. */
  longestMs(): number
  stop(): Promise<void>
}

/** Creates and reads a customer again and again; what is refused is repeated with the same idempotency key. */
export function startLoad(at: { readonly url: string }, key: string): Load {
  const made: string[] = []
  const refused = new Map<number | string, number>()
  let [stopped, longest, last] = [false, 0, performance.now()]
  const attempt = async (idempotencyKey: string, body: object): Promise<string | undefined> => {
    const answer = call(at, `POST ${samples.customer.path}`, { token: key, key: idempotencyKey, body })
    const created = await answer.catch((error: Error) => `nothing: ${(error.cause as Error | undefined) ?? error}`)
    if (typeof created !== 'string' && created.status === 201) return created.data.id
    const outcome = typeof created === 'string' ? created : created.status
    refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
    return undefined
  }
  const running = (async () => {
    while (!stopped) {
      const [idempotencyKey, body] = [newId(), samples.customer.body()]
      let id: string | undefined
      while (!stopped && !id) {
        id = await attempt(idempotencyKey, body)
        if (!id) await sleep(50)
      }
      if (!id) return
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      made.push(id)
      await sleep(20)
    }
  })()
  return {
    made,
    refused,
    longestMs: () => Math.round(longest),
    async stop() {
      stopped = true
      await running
    },
  }
}
