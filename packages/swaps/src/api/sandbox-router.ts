import { requestedAmount, toDecimal } from '@payments/kernel'
import { command, sqlOf } from '@payments/platform'
import { assetIn } from '../currencies.ts'
import { errors } from '../errors.ts'
import { swapsProvider } from '../provider/provider.ts'
import { SandboxSwapDeposit, SandboxSwapDepositResult } from '../schemas.ts'
import { POLL, pollNow } from '../swaps/schedule.ts'
import { find } from '../swaps/service.ts'

export const swapsSandboxRouter = {
  deposit: command({
    rest: 'POST /sandbox/swaps/{swapId}/deposits',
    access: 'sandbox',
    role: 'finance-or-developer',
    tag: 'Sandbox',
    summary: 'Simulate the deposit of a swap',
    description:
      'The swap completes 2 s later. With an amount of the swap that ends in `.13`, sending it times out: it stays `swapping` for 30 s and then completes.',
    message: 'Deposit simulated',
    status: 201,
    input: SandboxSwapDeposit,
    output: SandboxSwapDepositResult,
    errors: [errors.swap_not_found],
    async run(unit, { swapId, amount: given, outcome }) {
      const swap = await find(unit, swapId)
      const amount = given === undefined ? swap.amount : requestedAmount(given, assetIn(swap.fromCurrency))
      const provider = unit.runtime.providers.sandbox(swapsProvider)
      const { depositAddress } = swap
      const { txHash } = await provider.simulateDeposit(sqlOf(unit.em), { depositAddress, amount, outcome })
      await pollNow(unit, swap.id, false)
      unit.afterCommit(() => unit.runtime.trigger(POLL))
      return { swapId: swap.id, txHash, amount: toDecimal(amount, assetIn(swap.fromCurrency)), outcome }
    },
  }),
}
