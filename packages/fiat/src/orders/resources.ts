import { resource } from '@payments/platform'
import { RefundEntity, type RefundRow } from '../entities/entity.ts'
import { offrampEntry, onrampEntry } from '../entities/ledger-entry.ts'
import { OfframpEntity, presentOfframp } from '../entities/offramp.ts'
import { isHidden, OnrampEntity, type OnrampRow, presentOnramp, WITH_HIDDEN } from '../entities/onramp.ts'
import { offrampMachine, onrampMachine, refundMachine } from '../states.ts'

export const offrampResource = resource({
  machine: offrampMachine,
  entity: OfframpEntity,
  table: 'offramps',
  events: {
    created: 'offramp.created',
    updated: 'offramp.updated',
    also: { settled: 'offramp.settled', delivered: 'offramp.delivered' },
  },
  present: presentOfframp,
  entry: offrampEntry,
})

export const onrampResource = resource({
  machine: onrampMachine,
  entity: OnrampEntity,
  table: 'onramps',
  filters: WITH_HIDDEN,
  hidden: (row: OnrampRow) => isHidden(row),
  events: { created: 'onramp.created', updated: 'onramp.updated' },
  present: presentOnramp,
  entry: onrampEntry,
})

/** The refund's changes are announced as changes of its order. */
export const refundResource = resource({
  machine: refundMachine,
  entity: RefundEntity,
  table: 'fiat_refunds',
  events: null,
  present: (row: RefundRow) => ({ id: row.id }),
})
