import { expect, test } from 'vitest'
import { call, connected, newMerchant, signedIn, useService } from '#testing'

const service = useService()

/** Where a part of a key has few rows: a user has few memberships, an environment few providers. */
const FEW = new Set(['memberships_of_user', 'provider_controls_pkey'])

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The reads of tables in the plan that a connection keeps of a lookup, as the server describes it now. */
async function readsOf(db: Awaited<ReturnType<typeof connected>>, text: string): Promise<string[]> {
  const { rows } = await db.query(`explain (generic_plan, format json) ${text}`)
  // A bitmap scan names its index in one node and its table in another.
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node).filter(
    (node) => node['Index Name'] || (node['Relation Name'] && node['Node Type'] !== 'Bitmap Heap Scan'),
  )
  const { rows: unique } = await db.query<{ name: string; columns: number }>(
    `select c.relname as name, i.indnkeyatts::int as columns from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indisunique and i.indpred is null and c.relname = any ($1)`,
    [nodes.map((node) => node['Index Name'])],
  )
  const keys = new Map(unique.map(({ name, columns }) => [name, columns]))
  return nodes.map((node) => {
    const [table, index = 'none'] = [node['Relation Name'] ?? 'a table', node['Index Name']]
    const conditions = (node['Index Cond'] ?? '').split(' = ').length - 1
    const byKey = FEW.has(index) ? conditions > 0 : conditions === keys.get(index)
    return byKey ? 'by key' : `${table} by ${index}: ${node['Index Cond']}`
  })
}

test('every lookup whose plan is kept reads its tables by their keys alone, whether they are nearly empty or have been analysed', async () => {
  const texts = new Set<string>()
  const { lookups } = service.runtime
  const query = lookups.query.bind(lookups)
  lookups.query = ((text: string, values?: unknown[]) => {
    texts.add(text)
    return query(text, values)
  }) as typeof query
  const db = await connected(service)
  try {
    const merchant = await newMerchant(service)
    const { accessToken } = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
    expect((await call(service, 'GET /v1/auth/me', { token: accessToken })).status).toBe(200)
    expect((await merchant.call('GET /v1/rates')).status).toBe(200)
    expect([...texts].map((text) => text.match(/from (\w+)/)?.[1]).sort()).toEqual([
      'provider_controls',
      'sandbox_faults',
      'unnest',
      'users',
    ])
    await db.query('set enable_seqscan = off')
    for (const analysed of [false, true]) {
      if (analysed) await db.query('analyze')
      for (const text of texts) {
        const reads = await readsOf(db, text)
        expect(reads.length).toBeGreaterThan(0)
        expect(new Set(reads)).toEqual(new Set(['by key']))
      }
    }
  } finally {
    lookups.query = query
    await db.end()
  }
})
