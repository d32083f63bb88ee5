import { newCollection, newMerchant, newRoute, type TestArtefact } from '#testing'

/** An organisation with one object of each kind that has screens of its own in the test environment. @returns its id */
export async function furnished(service: TestArtefact): Promise<string> {
  const merchant = await newMerchant(service)
  const created = async (path: string, body: object): Promise<{ id: string }> =>
    (await merchant.call(`POST /v1/${path}`, { body })).body.data
  const { id: customerId } = await created('customers', { name: 'Ada', email: 'ada@example.com' })
  await newCollection(merchant)
  await newCollection(merchant, { type: 'invoice', customerId })
  await newRoute(merchant)
  const wallet = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'
  await created('swaps', { fromCurrency: 'USDC', toCurrency: 'EURC', amount: '10', destinationAddress: wallet })
  await created('webhooks', { url: 'https://merchant.example/hooks' })
  return merchant.organisationId
}

/** Where a walk over all screens begins, by their paths: the overview, and screens to which no link leads as they are. */
export const firstScreens = (start: string): Map<string, string> =>
  new Map(
    ['', '/swaps?new=1', '/collections/new-invoice', '/transactions?status=failed', '/transactions?kind=swap']
      .concat('/cli', '/customers?new=1', '/collections?new=1', '/routes?new=1')
      .concat('/offramps?new=1', '/onramps?new=1', '/cngn/payins?new=1', '/cngn/converts?new=1')
      .map((path) => [path, `${start}${path}`]),
  )
