import { type Environment, environments } from '@payments/kernel'
import type { ForgottenTime, RestoreDeclaration, Runtime, SqlExecutor } from '@payments/platform'
import { decimal } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { listMovements } from '../movements/listing.ts'
import { doubtForgotten, doubtWaiting } from '../movements/sends/holds.ts'
import { keepForgotten } from '../movements/sends/outgoing.ts'
import { treasuryName, treasuryProvider } from '../provider/holder.ts'
import type { ProviderTransaction } from '../provider/provider.ts'
import { FEED_SOON } from '../provider/schedule.ts'

// The provider takes no reference of ours, so a database that was restored cannot ask whether an order was sent. Each order that it
// has, and that the forgotten time may have sent, becomes one without an answer: `movements/sends/unresolved.ts` finds it in the lists, or
// that it was not sent. So does money out that waits for a second person, who may have approved it. What left for orders that the database does not have is kept, so that the same request is not sent again.

/** Orders that have no reference may have been sent in the forgotten time, whatever the database says of them. */
async function secure(db: SqlExecutor, { from, to }: ForgottenTime): Promise<readonly string[]> {
  const orders = await doubtForgotten(db, from, to)
  const approvals = await doubtWaiting(db, from, to)
  return [
    ...orders.map(
      ({ environment, waiting }) =>
        `${waiting} cNGN orders (${environment}) were waiting: each is sent only after the provider's lists show that it has not been sent`,
    ),
    ...approvals.map(
      ({ environment, waiting }) =>
        `${waiting} cNGN payouts (${environment}) were waiting for approval: each can be answered only after the provider's lists show that it has not been sent`,
    ),
  ]
}

/** Keeps the money that left each account without an order. */
async function compare(runtime: Runtime, forgotten: ForgottenTime): Promise<readonly string[]> {
  const findings: string[] = []
  for (const environment of environments) {
    if (!treasuryName(runtime, environment)) continue
    for (const account of await accounts(runtime, environment))
      findings.push(...(await compareAccount(runtime, environment, account, forgotten)))
  }
  return findings
}

/** Those that were read, and those that organisations with customers would use. */
async function accounts(runtime: Runtime, environment: Environment): Promise<ReadonlySet<string>> {
  const { rows: read } = await runtime.pool.query<{ account: string }>(
    'select account from cngn_feeds where environment = $1 order by account',
    [environment],
  )
  const { rows: organisations } = await runtime.pool.query<{ organisation_id: string }>(
    'select distinct organisation_id from cngn_enablements where environment = $1 order by organisation_id',
    [environment],
  )
  const provider = treasuryProvider(runtime, environment)
  return new Set([
    ...read.map(({ account }) => account),
    ...organisations.map(({ organisation_id }) => provider.account(organisation_id)),
  ])
}

async function compareAccount(
  runtime: Runtime,
  environment: Environment,
  account: string,
  { from }: ForgottenTime,
): Promise<readonly string[]> {
  const { movements, unreadable, complete } = await listMovements(runtime, environment, account, from)
  if (!complete)
    throw new Error(`The cNGN provider lists more movements of ${account} (${environment}) since then than it shows`)
  const out = movements.filter(({ channel, status }) => !channel.endsWith('_in') && status !== 'failed')
  const findings = (unreadable ?? []).map(
    ({ reference, field }) =>
      `The cNGN provider lists a movement ${reference ?? 'without a reference'} (${environment}) that cannot be read: ${field}`,
  )
  for (const tx of out)
    if (await keepForgotten(runtime.pool, environment, account, tx)) findings.push(described(environment, tx))
  // What arrived meanwhile is credited as soon as a worker runs.
  await runtime.pool.query(FEED_SOON, [environment, account, 0])
  return findings
}

const described = (
  environment: Environment,
  { reference, channel, amount, targets, at }: ProviderTransaction,
): string =>
  `A ${channel} of ${amount === null ? 'an unknown amount of' : decimal(amount, CNGN)} ${CNGN} (${environment}) to ${targets.map(masked).join(' or ') || 'an unknown destination'}` +
  ` left ${at ? `at ${at.toISOString()} ` : ''}without an order: ${reference}. An equal order is not sent before an operator settles it`

const masked = (target: string): string => `…${target.slice(-4)}`

export const restore: RestoreDeclaration = { secure, compare }
