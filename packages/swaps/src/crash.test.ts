import { expect, test } from 'vitest'
import {
  advance,
  connected,
  crashContract,
  depositFor,
  newMerchant,
  newSwap,
  pause,
  sized,
  startProcess,
  startService,
  useService,
} from '#testing'
import { expectJournalEqualsChain } from '../test/chain.ts'
import { swaps } from './index.ts'

const SWAPS = sized(24, 8)
const KILLS = sized(4, 1)
const service = useService()

crashContract(
  service,
  swaps,
  {
    'a swap that gets too much money': {
      async create(_runtime, merchant) {
        const { id } = await newSwap(merchant)
        await depositFor(merchant, id, { amount: '130' })
        return id
      },
      states: ['awaiting_deposit', 'swapping', 'completed'],
      journal: {
        'external EURC': '-100000000',
        'exchange EURC': '100000000',
        'exchange USDC': '-108000000',
        'destination USDC': '107946000',
        'fees USDC': '54000',
      },
    },
  },
  () => expectJournalEqualsChain(service),
)

const DEPOSITS = [
  [{}, 'completed'],
  [{ amount: '130' }, 'completed'],
  [{ outcome: 'price_moved' }, 'refunded'],
  [{ outcome: 'failed' }, 'refunded'],
] as const

test(
  'workers that are killed repeatedly at random finish every swap once, and the journal equals the chain',
  async () => {
    const service = await startService()
    const owner = await connected(service)
    const start = () => startProcess(service, { PROCESS_ROLE: 'all' })
    let worker = await start()
    try {
      const merchant = await newMerchant(service)
      const expected = new Map<string, string>()
      while (expected.size < SWAPS) {
        for (let made = 0; made < Math.ceil(SWAPS / KILLS); made++) {
          const [deposit, end] = DEPOSITS[expected.size % DEPOSITS.length] ?? DEPOSITS[0]
          const { id } = await newSwap(merchant)
          await depositFor(merchant, id, deposit)
          expected.set(id, end)
        }
        await pause(Math.random() * 900)
        worker.kill()
        worker = await start()
      }
      for (let tries = 0; tries < 120; tries++) {
        const { rows } = await owner.query<{ open: number }>(
          `select count(*)::int as open from swaps where status not in ('completed', 'refunded')
              or deposited_amount - returned_amount > case status when 'completed' then amount else 0 end`,
        )
        if (rows[0]?.open === 0) break
        await advance(merchant, 3)
        await pause(250)
      }
      const { rows } = await owner.query<{ id: string; status: string; changes: number; distinct: number }>(
        `select s.id, s.status, count(e.id)::int as changes, count(distinct e.payload->'data'->>'status')::int as distinct
           from swaps s join events e on e.resource_id = s.id group by s.id, s.status`,
      )
      expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(expected)
      // No event twice: each state is entered once.
      for (const { changes, distinct } of rows) expect(changes).toBe(distinct)
      await expectJournalEqualsChain(service)
    } finally {
      worker.kill()
      await owner.end()
      await service.stop()
    }
  },
  120_000 + SWAPS * 500,
)
