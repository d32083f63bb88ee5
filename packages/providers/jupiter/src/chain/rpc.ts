import { type HttpTiming, httpClient, ProviderError } from '@payments/provider-http'
import { z } from 'zod'

/** Genesis of mainnet: another network's tokens are worth nothing. */
const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
/** Calls of one batch. */
const BATCH = 50
const ANSWER_BYTES = 20_000_000

const Reply = z.object({
  id: z.number(),
  result: z.unknown(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})

export interface Call<T extends z.ZodType> {
  readonly method: string
  readonly params: readonly unknown[]
  readonly shape: T
}

export interface Rpc {
  /** Reads, in batches; the answers in the order of the calls. Repeated after transient failures. */
  readAll<T extends z.ZodType>(calls: readonly Call<T>[]): Promise<z.output<T>[]>
  read<T extends z.ZodType>(call: Call<T>): Promise<z.output<T>>
  /** A call with an effect: sent once. */
  write<T extends z.ZodType>(call: Call<T>): Promise<z.output<T>>
}

export interface RpcOptions extends HttpTiming {
  readonly rpcUrl: string
}

/** JSON-RPC client of a Solana node. @throws ProviderError, or the breaker's own error while it is open */
export function rpcClient({ rpcUrl, ...timing }: RpcOptions): Rpc {
  const http = httpClient({ ...timing, baseUrl: rpcUrl, headers: {}, answerBytes: ANSWER_BYTES, pauses: 'all' })
  const url = new URL(rpcUrl)

  async function post<T extends z.ZodType>(calls: readonly Call<T>[]): Promise<z.output<T>[]> {
    const batch = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const { status, body } = await http.call(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    })
    if (status !== 200) throw new ProviderError('rejected', `Status ${status} of the node`)
    const replies = z.array(Reply).safeParse(body)
    if (!replies.success) throw new ProviderError('unreadable', 'Not an answer of a node', { cause: replies.error })
    const byId = new Map(replies.data.map((reply) => [reply.id, reply]))
    return calls.map(({ method, shape }, id) => {
      const reply = byId.get(id)
      if (!reply) throw new ProviderError('unreadable', `No answer to ${method}`)
      // A node that is behind says so with an error: another attempt may meet one that is not.
      if (reply.error) throw new ProviderError('unavailable', `${method}: error ${reply.error.code} of the node`)
      const known = shape.safeParse(reply.result)
      if (!known.success) throw new ProviderError('unreadable', `${method}: unknown shape`, { cause: known.error })
      return known.data
    })
  }

  let checked: Promise<void> | undefined
  /** Once in each process: a node of another network is never used. */
  const onMainnet = () => {
    checked ??= http.reads
      .execute(() => post([{ method: 'getGenesisHash', params: [], shape: z.string() }]))
      .then(([genesis]) => {
        if (genesis !== MAINNET_GENESIS) throw new ProviderError('rejected', 'SOLANA_RPC_URL is no node of mainnet')
      })
      .catch((error: unknown) => {
        checked = undefined
        throw error
      })
    return checked
  }

  const readAll: Rpc['readAll'] = async (calls) => {
    await onMainnet()
    const results = []
    for (let from = 0; from < calls.length; from += BATCH)
      results.push(...(await http.reads.execute(() => post(calls.slice(from, from + BATCH)))))
    return results
  }
  const one = async <T extends z.ZodType>(results: Promise<z.output<T>[]>) => (await results)[0] as z.output<T>
  return {
    readAll,
    read: (call) => one(readAll([call])),
    write: async (call) => {
      await onMainnet()
      return one(http.breaker.execute(() => post([call])))
    },
  }
}
