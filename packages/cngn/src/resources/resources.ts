import { type Resource, resource } from '@payments/platform'
import { EnablementEntity, type EnablementRow, TransferEntity, type TransferRow } from '../entity.ts'
import type { Kind } from '../kinds/kinds.ts'
import { enablementMachine, machines } from '../states.ts'
import { entryOf } from './ledger-entry.ts'
import { presenters } from './present.ts'

const object = (kind: Kind) =>
  resource<
    TransferRow,
    'pending' | 'processing' | 'completed' | 'failed',
    'process' | 'complete' | 'fail' | 'revoke' | 'recover'
  >({
    machine: machines[kind],
    entity: TransferEntity,
    table: 'cngn_transfers',
    events: { created: `cngn.${kind}.created`, updated: `cngn.${kind}.updated` },
    present: presenters[kind],
    entry: entryOf,
  })

/** Each kind has its own event types; rows and states are alike. */
export const transferResources: Readonly<Record<Kind, ReturnType<typeof object>>> = {
  convert: object('convert'),
  withdrawal: object('withdrawal'),
  payout: object('payout'),
  payin: object('payin'),
  deposit: object('deposit'),
}

/** Its changes are announced as events of the customer: see `enablement.ts`. */
export const enablementResource: Resource<EnablementRow, 'pending' | 'enabled' | 'failed', 'enable' | 'fail'> =
  resource({
    machine: enablementMachine,
    entity: EnablementEntity,
    table: 'cngn_enablements',
    events: null,
    present: (row: EnablementRow) => ({ id: row.id }),
  })
