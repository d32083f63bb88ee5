import type { MigrationStep } from '@payments/platform'
import { journal, refuseChange } from './schema/journal.ts'
import { list } from './schema/list.ts'
import { post } from './schema/post.ts'
import { seals } from './schema/seals.ts'

export const migrations: readonly MigrationStep[] = [
  { name: '20261121000300_ledger', up: [refuseChange, ...list, ...journal, post, ...seals] },
  // The balances that the journal must hold for an object are computed from its receipt (see check/transactions.ts).
  { name: '20261121000900_ledger_receipts', up: ['alter table transactions drop column journal'] },
]
