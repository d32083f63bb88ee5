import { call, cngnCustomer, type Data, dataOf, type Sample, START_SESSION, samples, until } from '@payments/stand'

const PATIENCE = { patienceMs: 90_000 }

/** An object that was made and paid, and how to find out whether it has ended as it should. */
export interface Begun {
  readonly name: string
  ended(): Promise<boolean>
}

/** Makes and pays one object of each domain with a key, at the one address: what its workers have to do is not waited for. */
export async function beginStories(at: { readonly url: string }, key: string): Promise<Begun[]> {
  const send = (line: string, body?: object) => call(at, line, { token: key, ...(body ? { body } : {}) })
  const data = (line: string, body?: object): Promise<Data> => dataOf(line, send(line, body))
  const status = (path: string, wanted: string) => async () => (await data(`GET ${path}`)).status === wanted
  const simple = async (name: string, { path, body, fund, ended }: Sample, given: object = {}): Promise<Begun> => {
    const { id } = await data(`POST ${path}`, body(given as never))
    const [line, paid] = fund?.(id) ?? []
    if (line) await data(line, paid)
    return { name, ended: status(`${path}/${id}`, ended ?? '') }
  }
  const route = async (): Promise<Begun> => {
    const { id } = await data(`POST ${samples.route.path}`, samples.route.body())
    const [line, body] = samples.route.fund(id)
    await data(line, body)
    const list = async () => (await data(`GET ${samples.route.path}/${id}/deposits`)).deposits
    return { name: 'payment route', ended: async () => (await list())[0]?.status === 'completed' }
  }
  const link = async (): Promise<Begun> => {
    const { id } = await data(`POST ${samples.collection.path}`, samples.collection.body())
    const session = await dataOf(
      'session',
      call(at, `POST /v1/pay/${id}`, { body: START_SESSION, token: null, key: null }),
    )
    const [line, body] = samples.collection.fund(session.id)
    await data(line, body)
    const page = async () => dataOf('page', call(at, `GET /v1/pay/${session.id}`, { token: null }))
    return { name: 'payment link', ended: async () => (await page()).session?.status === 'paid' }
  }
  const customerId = await cngnCustomer(send, '5000')
  return Promise.all([
    route(),
    link(),
    simple('swap', samples.swap),
    simple('offramp', samples.offramp),
    simple('onramp', samples.onramp),
    simple('cNGN payin', samples.payin, { customerId }),
    simple('cNGN payout', { ...samples.payout, fund: undefined } as unknown as Sample, { customerId }),
  ])
}

/** Waits until everything has ended. @returns a finding for each that has not */
export async function endStories(where: string, begun: readonly Begun[]): Promise<string[]> {
  const results = await Promise.all(
    begun.map(({ name, ended }) =>
      until(name, ended, PATIENCE).then(
        () => [],
        (error: Error) => [`${where}: ${error.message}`],
      ),
    ),
  )
  return results.flat()
}
