import { type Receiver, type Sample, START_SESSION, samples } from '@payments/stand'
import type { Client } from 'pg'

/** A kind of payment. */
export interface Kind {
  readonly name: string
  readonly sample: Required<Pick<Sample, 'path' | 'body' | 'fund' | 'ended'>>
  /** Its kind in the list of transactions. */
  readonly kind: string
}

const ALL: readonly Kind[] = [
  { name: 'payment route', sample: samples.route, kind: 'payment_route' },
  { name: 'payment link', sample: samples.collection, kind: 'collection' },
  { name: 'swap', sample: samples.swap, kind: 'swap' },
  { name: 'offramp', sample: samples.offramp, kind: 'offramp' },
  { name: 'onramp', sample: samples.onramp, kind: 'onramp' },
]

/** Those of which the name has `BENCH_CASE` in it. */
export const KINDS = ALL.filter(({ name }) => name.includes(process.env.BENCH_CASE ?? ''))

type Post = (line: string, body: object) => Promise<{ readonly id: string }>

/** A merchant over REST, and over a gateway apart the payers, who use the sandbox. */
export interface Merchant {
  readonly post: Post
  readonly pay: Post
}

/** An endpoint for each organisation. */
export async function withEndpoints(merchants: readonly Merchant[], { origin }: Receiver): Promise<void> {
  for (const [index, { post }] of merchants.entries()) await post('POST /v1/webhooks', { url: `${origin}/${index}` })
}

/** Makes one payment and pays it in the sandbox. `created` hears when the reply to its creation has come. */
export async function payOne({ sample, kind }: Kind, { post, pay }: Merchant, created?: () => void): Promise<void> {
  const { id } = await post(`POST ${sample.path}`, sample.body())
  created?.()
  const paid = kind === 'collection' ? (await post(`POST /v1/pay/${id}`, START_SESSION)).id : id
  await pay(...sample.fund(paid))
}

const count = async (client: Client, text: string, values: unknown[] = []): Promise<number> =>
  (await client.query<{ count: number }>(text, values)).rows[0]?.count ?? 0

export const ended = (client: Client, { kind, sample }: Kind): Promise<number> =>
  count(client, 'select count(*)::int as count from transactions where kind = $1 and status = $2', [kind, sample.ended])

export const deliveries = (client: Client): Promise<number> =>
  count(client, 'select count(*)::int as count from webhook_deliveries')

/** Events and deliveries that are still to be sent. */
export const unsent = (client: Client): Promise<number> =>
  count(
    client,
    `select (select count(*) from events where drained_at is null)::int
          + (select count(*) from webhook_deliveries where status = 'pending')::int as count`,
  )
