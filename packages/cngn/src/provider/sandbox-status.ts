import type { Failure } from '../failure-reasons.ts'
import type { ProviderTransaction } from './provider.ts'

const SETTLES_AFTER_SECONDS = 2
const TIMES_OUT_SECONDS = 30

/** Magic bank accounts of payouts: why they fail, and how many seconds after they were sent. */
const MAGIC: Readonly<Record<string, { readonly reason: Failure; readonly seconds: number }>> = {
  '0000000000': { reason: 'invalid_account_number', seconds: SETTLES_AFTER_SECONDS },
  '0000000001': { reason: 'compliance_rejected', seconds: SETTLES_AFTER_SECONDS },
  '0000000002': { reason: 'returned_by_bank', seconds: 2 * SETTLES_AFTER_SECONDS },
}

const older = (seconds: number) => `now() - settles_from >= interval '${seconds} seconds'`

/** SQL: the status of a movement of the sandbox. */
export const SANDBOX_STATUS = `case
  when times_out then case when ${older(TIMES_OUT_SECONDS)} then 'completed' else 'pending' end
  ${Object.entries(MAGIC)
    .map(
      ([number, { seconds }]) =>
        `when channel = 'payout' and targets[1] = '${number}' then case when ${older(seconds)} then 'failed' else 'pending' end`,
    )
    .join('\n  ')}
  when ${older(SETTLES_AFTER_SECONDS)} then 'completed' else 'pending' end`

/** A row as the sandbox lists it. */
export const statusOf = (row: {
  readonly reference: string
  readonly channel: ProviderTransaction['channel']
  readonly asset: string
  readonly amount: string
  readonly fee: string
  readonly converted_amount: string | null
  readonly targets: readonly string[]
  readonly tx_hash: string | null
  readonly times_out: boolean
  readonly status: ProviderTransaction['status']
  readonly at: Date | string
}): ProviderTransaction => ({
  reference: row.reference,
  channel: row.channel,
  status: row.status,
  asset: row.asset,
  amount: BigInt(row.amount),
  fee: BigInt(row.fee),
  convertedAmount: row.converted_amount === null ? null : BigInt(row.converted_amount),
  targets: row.targets,
  txHash: row.tx_hash,
  failureReason: row.status === 'failed' ? (MAGIC[row.targets[0] ?? '']?.reason ?? null) : null,
  outcomeUnknown: row.times_out && row.status === 'pending',
  at: new Date(row.at),
})
