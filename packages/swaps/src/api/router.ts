import { noInput } from '@payments/kernel'
import { command, download, exportCsv, exportInput, query } from '@payments/platform'
import { errors } from '../errors.ts'
import { present } from '../present.ts'
import { rates } from '../provider/rates.ts'
import { NewSwap, RateList, RatesInput, Swap, SwapId, SwapList } from '../schemas.ts'
import { createSwap, prepareCreation } from '../swaps/creation.ts'
import { cancel, find, newestSwaps } from '../swaps/service.ts'
import { swapsExport } from './export.ts'

const tag = 'Swaps'
const provider = [errors.swap_provider_failed, errors.swap_provider_unavailable]

export const swapsRouter = {
  list: query({
    rest: 'GET /swaps',
    access: 'read',
    tag,
    summary: 'List swaps',
    description: 'At most 200, newest first. `total` counts all of them.',
    message: 'Swaps retrieved',
    input: noInput,
    output: SwapList,
    async run(context) {
      const { rows, total } = await newestSwaps(context)
      return { swaps: rows.map(present), total }
    },
  }),
  create: command({
    rest: 'POST /swaps',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Create a swap',
    description:
      'Gives a deposit address on Solana. When `amount` has arrived there, it is swapped at the price of that moment and the proceeds go to the destination address; if the price is then below `minimumAmount`, the deposit goes back. Less than `amount` waits for the rest until `expiresAt` and then goes back; of more, the excess goes back. What is too little to be worth a transaction stays.',
    message: 'Swap created',
    status: 201,
    input: NewSwap,
    output: Swap,
    errors: provider,
    callsProvider: true,
    before: prepareCreation,
    run: async (unit, input, prepared) => present(createSwap(unit, input, prepared)),
  }),
  export: download({
    rest: 'GET /swaps/export',
    access: 'read',
    tag,
    summary: 'Export swaps as CSV',
    description: 'All swaps of a time range, newest first, from one snapshot.',
    message: 'Swaps exported',
    input: exportInput('Created'),
    produces: 'csv',
    filename: () => 'swaps.csv',
    stream: (context, input, signal) => exportCsv(context, swapsExport, input, signal),
  }),
  get: query({
    rest: 'GET /swaps/{swapId}',
    access: 'read',
    tag,
    summary: 'Get a swap',
    description: 'The swap as the list shows it, also beyond the newest 200.',
    message: 'Swap retrieved',
    input: SwapId,
    output: Swap,
    errors: [errors.swap_not_found],
    run: async (context, { swapId }) => present(await find(context, swapId)),
  }),
  cancel: command({
    rest: 'POST /swaps/{swapId}/cancel',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Cancel a swap',
    description:
      'Only while it waits for its deposit. Deposits that have arrived, and later ones, are refunded to the refund address.',
    message: 'Swap cancelled',
    input: SwapId,
    output: Swap,
    errors: [errors.swap_not_found, errors.swap_not_cancellable],
    run: async (unit, { swapId }) => present(await cancel(unit, swapId)),
  }),
}

export const ratesRouter = {
  list: query({
    rest: 'GET /rates',
    access: 'read',
    tag,
    summary: 'List indicative rates',
    description:
      'A quote for each direction, some seconds old at most. It binds nobody: a swap takes the price of the moment at which its deposit is there. The quotes that one organisation requests anew are limited.',
    message: 'Rates retrieved',
    input: RatesInput,
    output: RateList,
    errors: [errors.rates_limited, ...provider],
    async run(context, { amount }) {
      const list = await rates(context, amount)
      return { rates: [...list], total: list.length }
    },
  }),
}
