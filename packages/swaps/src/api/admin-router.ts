import { errors as commonErrors, noInput } from '@payments/kernel'
import { operatorCommand, query } from '@payments/platform'
import { errors } from '../errors.ts'
import { processNow } from '../polling/process.ts'
import { present } from '../present.ts'
import { AdminSwapList, Release, Settlement, Swap, SwapId } from '../schemas.ts'
import { findAnywhere, unfinished } from '../swaps/service.ts'
import { release } from '../transactions/release.ts'
import { settle } from '../transactions/settle.ts'

const tag = 'Swaps'

/** Operator operations on swaps of any organisation. */
export const swapsAdminRouter = {
  list: query({
    rest: 'GET /admin/ops/swaps',
    access: 'operator',
    tag,
    summary: 'List swaps in flight and those that need attention',
    description:
      'Swaps of all organisations that are not final, hold money or fail to be processed. `error`: why one could not be processed; `openSignature`: its transaction whose outcome is not known yet. At most 200; `total` counts all of them.',
    message: 'Swaps retrieved',
    input: noInput,
    output: AdminSwapList,
    run: (context) => unfinished(context),
  }),
  process: operatorCommand({
    rest: 'POST /admin/ops/swaps/{swapId}/process',
    tag,
    summary: 'Process a swap now',
    description:
      'Reads its deposit address and the outcome of its transaction, and sends the next transaction if one is needed, ahead of the schedule.',
    message: 'Swap processed',
    input: SwapId,
    output: Swap,
    errors: [
      errors.swap_not_found,
      errors.swap_refund_account_missing,
      errors.swap_account_frozen,
      errors.swap_refund_limit_reached,
      errors.swap_provider_failed,
      errors.swap_provider_unavailable,
    ],
    before: async (context, { swapId }) => processNow(context.runtime, await findAnywhere(context, swapId)),
    run: async (_unit, _input, swap) => ({ reply: present(swap), subject: swap, after: { status: swap.status } }),
  }),
  release: operatorCommand({
    rest: 'POST /admin/ops/swaps/{swapId}/release',
    tag,
    summary: 'Release a held swap',
    description:
      'For a swap whose organisation was suspended before its transaction was sent. Look at its addresses first: a person who took over the account may have set them. To send the deposit elsewhere, sweep it and settle the swap as `returned`.',
    message: 'Swap released',
    input: Release,
    output: Swap,
    errors: [errors.swap_not_found, errors.swap_not_held, commonErrors.second_operator_required],
    money: true,
    async run(unit, input) {
      const { before, swap } = await release(unit, input)
      return {
        reply: present(swap),
        subject: swap,
        before: { status: before.status, heldSince: before.heldAt?.toISOString() ?? null },
        after: { status: swap.status, outcome: input.outcome },
      }
    },
  }),
  settle: operatorCommand({
    rest: 'POST /admin/ops/swaps/{swapId}/settle',
    tag,
    summary: 'Record the outcome of a swap',
    description:
      'For a swap whose transaction cannot be found out, or whose deposit was sent back by other means, such as a sweep: the states, events and entries are those of a transaction of the service. A transaction of its own must have expired. What is left at the address afterwards is sent back as before.',
    message: 'Swap settled',
    input: Settlement,
    output: Swap,
    errors: [
      errors.swap_not_found,
      errors.swap_nothing_to_settle,
      errors.swap_evidence_used,
      errors.swap_transaction_open,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const { before, swap } = await settle(unit, input)
      return {
        reply: present(swap),
        subject: swap,
        before: { status: before.status, returnedAmount: before.returnedAmount.toString() },
        after: { status: swap.status, returnedAmount: swap.returnedAmount.toString() },
      }
    },
  }),
}
