import { system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { newMerchant, newOfframp, newOnramp, useService } from '#testing'
import { reportOf } from '../../test/orders.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'
import { applyPoll } from './polls.ts'
import { isNothingNew } from './reports.ts'

const service = useService()
test.each([
  ['offramp', 'received', 'depositTxHash'],
  ['offramp', 'delivered', 'depositTxHash'],
  ['onramp', 'delivered', 'txHash'],
] as const)(
  'the transaction of an %s that was told without it when it was %s is kept once it is told',
  async (direction: Direction, status, field) => {
    const merchant = await newMerchant(service)
    const { id } = await (direction === 'offramp' ? newOfframp(merchant) : newOnramp(merchant))
    const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
    const report = (given: Partial<OrderReport>) =>
      unitOfWork(context, (unit) => applyPoll(unit, direction, id, reportOf(direction, given)))
    const order = await report({ status, txHash: null })
    const later = { status, txHash: '0x2' } as const
    expect(isNothingNew(order, reportOf(direction, later))).toBe(false)
    await report(later)
    const shown = (await merchant.call(`GET /v1/${direction}s/${id}`)).body.data
    expect(shown).toMatchObject({ status: status === 'received' ? 'processing' : status, [field]: '0x2' })
    const { receipt } = (await merchant.call(`GET /v1/transactions/${id}`)).body.data
    expect(receipt[field]).toBe('0x2')
  },
)
