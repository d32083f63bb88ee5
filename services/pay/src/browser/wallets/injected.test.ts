import { expect, test } from 'vitest'
import { askedBy, type InjectedWallet, sendWith } from './injected.ts'

const TOKEN = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'
const PAYEE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const LINK = `ethereum:${TOKEN}@137/transfer?address=${PAYEE}&uint256=15000000`

test('a link is read as what a wallet sends: a token to its contract, a chain’s own currency to the address', () => {
  expect(askedBy(LINK)).toEqual({
    chainId: 137,
    to: TOKEN,
    value: 0n,
    data: `0xa9059cbb${'0'.repeat(24)}${PAYEE.slice(2).toLowerCase()}${'e4e1c0'.padStart(64, '0')}`,
  })
  expect(askedBy(`ethereum:${PAYEE}@1?value=10000000000000000`)).toEqual({
    chainId: 1,
    to: PAYEE,
    value: 10_000_000_000_000_000n,
    data: undefined,
  })
})

test.each([
  '',
  PAYEE,
  `solana:${PAYEE}?amount=1`,
  `ethereum:${TOKEN}@137/transfer?address=${PAYEE}`,
  `ethereum:${TOKEN}@137/transfer?address=0x12&uint256=1`,
  `ethereum:${TOKEN}@137/transfer?address=${PAYEE}&uint256=1.5`,
  `ethereum:${TOKEN}@137/transfer?address=${PAYEE}&uint256=0`,
  `ethereum:0x12@137?value=1`,
  `ethereum:${PAYEE}@1?uint256=1`,
])('nothing is sent for the link “%s”', (link) => {
  expect(askedBy(link)).toBeUndefined()
})

const wallet = (answers: Record<string, () => unknown>) => {
  const calls: string[] = []
  const provider: InjectedWallet['provider'] = {
    async request({ method }) {
      calls.push(method)
      return answers[method]?.()
    },
  }
  return { calls, wallet: { info: { uuid: '1', name: 'Fake' }, provider } }
}
const ready = { eth_requestAccounts: () => [PAYEE], eth_chainId: () => '0x89' }

test('a payment that was asked for otherwise in the meantime is not sent', async () => {
  let link = LINK
  const { calls, wallet: fake } = wallet({
    ...ready,
    eth_requestAccounts: () => {
      link = LINK.replace('15000000', '5000000')
      return [PAYEE]
    },
  })
  expect(await sendWith(fake, () => link)).toEqual({ problem: 'refused' })
  expect(calls).not.toContain('eth_sendTransaction')
})

test('it is noted that a payment may have been sent before the wallet is asked to, and not before', async () => {
  const { calls, wallet: fake } = wallet({ ...ready, eth_sendTransaction: () => '0x1' })
  let noted: string[] = []
  await sendWith(
    fake,
    () => LINK,
    () => {
      noted = [...calls]
    },
  )
  expect([noted.includes('eth_requestAccounts'), noted.includes('eth_sendTransaction')]).toEqual([true, false])
})

test('a wallet that fails after it was asked to send may have sent it; one that was refused by its user has not', async () => {
  const fails = (code: number) => () => {
    throw Object.assign(new Error('failed'), { code })
  }
  const sent = (eth_sendTransaction: () => unknown) =>
    sendWith(wallet({ ...ready, eth_sendTransaction }).wallet, () => LINK)
  expect(await sent(fails(-32_603))).toEqual({ problem: 'unknown' })
  expect(await sent(fails(4001))).toEqual({ problem: 'refused' })
  expect(await sent(() => undefined)).toEqual({ problem: 'unknown' })
  expect(await sent(() => '0x1')).toEqual({ hash: '0x1' })
})
