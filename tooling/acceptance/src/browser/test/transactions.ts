import { connected, type Merchant, type TestArtefact } from '#testing'

/** Adds as many transactions, a minute apart, numbered from the newest on by their amount. They are in the list only, not in the reports. */
export async function insertTransactions(
  service: TestArtefact,
  { organisationId, environment }: Merchant,
  count: number,
): Promise<void> {
  const owner = await connected(service)
  await owner.query(
    `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, receipt, created_at, updated_at)
     select gen_random_uuid(), $1, $2, 'swap', 'completed', 'Base USDC 0x71C7656EC7ab88b098defB751B7401B5f6d8976F', n, 'USDC',
            '{"origin":{"network":"base"}}', timestamptz '2026-03-10 00:30Z' - make_interval(mins => n::int), now()
       from generate_series(1, $3::int) n`,
    [organisationId, environment, count],
  )
  await owner.query('vacuum analyze transactions')
  await owner.end()
}
