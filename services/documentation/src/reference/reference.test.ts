import { expect, test } from 'vitest'
import { newMerchant, pause, useArtefact } from '#testing'
import { describedInterface } from '../described.ts'
import { exampleOf, isPrepared, type Step } from './preparation.ts'

type Reply = { status: number; body: { message?: string; data?: unknown } | undefined }
type Send = (method: string, url: string, body?: unknown) => Promise<Reply>
/** What the page runs in the browser. */
const { fill, fresh, prepare } = (await import(new URL('../../../gateway/assets/try-it.js', import.meta.url).href)) as {
  fill<Part>(part: Part, values: object): Part
  fresh(body: object): object
  prepare(steps: readonly Step[], send: Send): Promise<Record<string, string>>
}

const service = useArtefact()
const { operations } = describedInterface('merchants')
/** What a form of the reference can send with a key. A stream does not end. */
const withKey = operations.filter(
  (each) => each.access !== 'session' && each.success.type !== 'text/event-stream' && isPrepared(each),
)

test('the example of every operation succeeds for an organisation that has nothing yet', async () => {
  const failed: string[] = []
  // All at the same time: most of what they do is wait for the sandbox.
  await Promise.all(
    withKey.map(async (operation) => {
      const merchant = await newMerchant(service)
      // Only so many exports run at a time: who is asked to wait sends it again.
      const send: Send = async (method, url, body) => {
        for (;;) {
          const reply = await merchant.call(`${method} ${url}`, body === undefined ? {} : { body })
          if (reply.status !== 503) return reply
          await pause(250)
        }
      }
      const { steps, url, body } = exampleOf(operation, operations)
      const sent = prepare(steps, send).then((values) =>
        send(operation.method, fill(url, values), body && fresh(fill(body, values))),
      )
      const result = await sent.then(
        ({ status, body: reply }) => (status === operation.success.status ? 'sent' : `${status} ${reply?.message}`),
        (error: Error) => error.message,
      )
      if (result !== 'sent') failed.push(`${operation.method} ${operation.path}: ${result}`)
    }),
  )
  expect([withKey.length > 100, failed]).toEqual([true, []])
}, 60_000)
