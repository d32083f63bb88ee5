import { type Mistakes, refuseMistakes } from '@payments/kernel'
import { arrayOf } from '../database/sql.ts'
import { domainsOf } from '../domain/domain.ts'
import type { OwnAddresses } from '../domain/money.ts'
import type { QueryContext, Runtime, UnitOfWork } from '../operations/context/context.ts'

/** Stored addresses of the EVM are in their checksum's spelling, or in lower case. */
const spellingsOf = (address: string): readonly string[] => [...new Set([address, address.toLowerCase()])]

const ownOf = (runtime: Pick<Runtime, 'domains'>): readonly OwnAddresses[] =>
  domainsOf(runtime).flatMap(({ money }) => money?.ownAddresses ?? [])

/**
 * Which of the addresses `$1` are stored as the service's own, with the place of what each is: a few entries of indexes for each. Its plan is kept, and with `offset` the
 * planner cannot read a whole table into a hash instead.
 */
function statement(own: readonly OwnAddresses[]): string {
  const found = own.flatMap((each, place) =>
    'from' in each
      ? [
          `when exists (select from ${each.from} where ${each.by} = given.address${each.where ? ` and ${each.where}` : ''} offset 0) then ${place}`,
        ]
      : [],
  )
  return `select address, place from (select given.address, case ${found.join(' ')} end as place from unnest(${arrayOf('text', '$1')}) as given (address)) a
    where place is not null`
}

/**
 * Refuses addresses that belong to this service, over all organisations and environments, as a destination or for refunds: what is sent
 * there would be booked as another payment, or be mixed with the service's own money. One statement for all fields, and the only place that decides
 * it. A deposit address is stored before a reply names it: addresses of swaps when they are derived, others with the object whose reply
 * names them. So none can be named before it is found here. Call it with canonical spellings.
 * @throws validation_failed 422 that names every such field
 */
export async function refuseOwnAddresses(
  context: QueryContext | UnitOfWork,
  fields: Readonly<Record<string, string | null | undefined>>,
): Promise<void> {
  const given = Object.entries(fields).flatMap(([field, address]) =>
    address ? [{ field, spellings: spellingsOf(address) }] : [],
  )
  if (given.length === 0) return
  const own = ownOf(context.runtime)
  const places = new Map<string, number>()
  for (const [place, each] of own.entries())
    if ('known' in each)
      for (const address of each.known(context.runtime))
        for (const spelling of spellingsOf(address)) places.set(spelling, place)
  const { rows } = await context.runtime.lookups.query<{ address: string; place: number }>(statement(own), [
    given.flatMap(({ spellings }) => spellings),
  ])
  for (const { address, place } of rows) places.set(address, place)
  const wrong: Mistakes = {}
  for (const { field, spellings } of given) {
    const place = spellings.map((spelling) => places.get(spelling)).find((each) => each !== undefined)
    if (place !== undefined) wrong[field] = `Must be another wallet: this is ${own[place]?.what}`
  }
  refuseMistakes(wrong)
}
