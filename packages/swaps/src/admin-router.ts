import { operatorCommand, query } from '@payments/platform'
import { z } from 'zod'
import { errors } from './errors.ts'
import { present } from './present.ts'
import { processNow } from './process.ts'
import { AdminSwapList, Swap, SwapId } from './schemas.ts'
import { findAnywhere, unfinished } from './service.ts'

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
    input: z.strictObject({}),
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
    errors: [errors.swap_not_found, errors.swap_provider_failed, errors.swap_provider_unavailable],
    before: async (context, { swapId }) => processNow(context.runtime, await findAnywhere(context, swapId)),
    run: async (_unit, _input, swap) => ({ reply: present(swap), subject: swap, after: { status: swap.status } }),
  }),
}
